// Many hosts at once: names by a pattern, user, port and labels. What is left empty stays as it is.
import { useMemo, useState } from 'react'
import { useT, type Key } from '../../i18n'
import { namesBy, type BadPattern } from '../../model/rename'
import type { Host } from '../../model/spec'
import { TextField } from '../../ui/basic'
import { Question } from '../../ui/dialog'

const kWhy: Record<BadPattern, Key> = { 'no-number': 'edit.no-number', name: 'edit.bad-name', taken: 'edit.taken' }

interface EditProps {
  hosts: Host[] // the selected ones
  others: string[] // names of the rest
  update: (next: (host: Host, at: number) => Host) => void
  close: () => void
}

export function withLabel(host: Host, key: string, value: string): Host {
  if (!key) return host
  const { [key]: _old, ...rest } = host.labels ?? {}
  const labels = value === '' ? rest : { ...rest, [key]: value }
  return { ...host, labels: Object.keys(labels).length > 0 ? labels : undefined }
}

export function EditHosts({ hosts, others, update, close }: EditProps) {
  const t = useT()
  const [pattern, setPattern] = useState('')
  const [user, setUser] = useState('')
  const [port, setPort] = useState('')
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const names = useMemo(() => (pattern ? namesBy(pattern, hosts.length, others) : undefined), [pattern, hosts.length, others])
  const bad = typeof names === 'string'
  const badPort = port !== '' && !(Number.isInteger(Number(port)) && Number(port) >= 1 && Number(port) <= 65535)
  const submit = () => {
    update((host, at) => ({
      ...withLabel(host, key, value),
      ...(Array.isArray(names) ? { name: names[at]! } : {}),
      ...(user ? { user } : {}),
      ...(port ? { port: Number(port) } : {}),
    }))
    close()
  }
  return (
    <Question
      onClose={close}
      title={t('edit.title', { n: hosts.length })}
      disabled={bad || badPort || !(pattern || user || port || key)}
      yes={t('edit.submit', { n: hosts.length })}
      onYes={submit}
    >
      <p className="muted">{t('edit.text')}</p>
      <TextField label={t('edit.pattern')} help={t('edit.pattern-help')} placeholder="node-{01}" className="mono" value={pattern} aria-invalid={bad || undefined} onChange={(event) => setPattern(event.target.value.trim())} />
      <div role="status">
        {bad && <p className="bad-text">{t(kWhy[names])}</p>}
        {Array.isArray(names) && (
          <ul className="plain-list mono rename-preview" aria-label={t('edit.preview')}>
            {hosts.slice(0, 5).map((host, i) => (
              <li key={i}>
                {host.name} → {names[i]}
              </li>
            ))}
            {hosts.length > 5 && (
              <li>
                … {hosts.at(-1)!.name} → {names.at(-1)}
              </li>
            )}
          </ul>
        )}
      </div>
      <div className="fields">
        <TextField label={t('column.user')} value={user} onChange={(event) => setUser(event.target.value.trim())} />
        <TextField label={t('column.port')} inputMode="numeric" value={port} aria-invalid={badPort || undefined} onChange={(event) => setPort(event.target.value.trim())} />
        <TextField label={t('edit.label')} className="mono" value={key} onChange={(event) => setKey(event.target.value.trim())} />
        <TextField label={t('edit.label-value')} help={t('edit.label-help')} className="mono" value={value} onChange={(event) => setValue(event.target.value.trim())} />
      </div>
    </Question>
  )
}
