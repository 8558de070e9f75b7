// How one or many hosts are logged in to. Secrets typed here go to the server, sealed, and are never shown again.
import { useState } from 'react'
import { all, ask, segment } from '../../api/client'
import { client } from '../../api/queries'
import type { JsonObject, SecretState } from '../../api/types'
import { useT } from '../../i18n'
import type { Host } from '../../model/spec'
import { Banner, Button, ErrorBanner, Field, SelectField, TextField } from '../../ui/basic'
import { Question } from '../../ui/dialog'
import type { DraftHandle } from './use-draft'

type Method = 'agent' | 'password' | 'key' | 'key-file'

interface LoginProps {
  name: string
  handle: DraftHandle
  hosts: Host[]
  update: (next: (host: Host) => Host) => void
  close: () => void
}

function methodOf(host: Host | undefined): Method {
  if (host?.password) return 'password'
  if (host?.key) return host.key.prompt ? 'key' : 'key-file'
  return 'agent'
}

// The server names secrets by their host: hosts.w1.password.
const secretPath = (host: string, field: string) => `hosts.${host}.${field}`

async function keepSecret(draft: string, names: string[], field: string, value: string) {
  const asked = await all<SecretState>(`/specs/${segment(draft)}/secrets`)
  const wanted = new Set(names.map((name) => secretPath(name, field)))
  for (const { path } of asked) {
    if (wanted.has(path)) await ask(`/specs/${segment(draft)}/secrets/${segment(path)}`, { method: 'PUT', body: { value } })
  }
  await client.invalidateQueries({ queryKey: ['secrets', draft] })
}

// Hosts whose login cannot be tried yet: the draft asks for a secret nobody has given. By their names.
export function hostsInWant(secrets: SecretState[] | undefined): string[] {
  const names = (secrets ?? []).flatMap(({ path, kept }) => {
    const host = kept ? undefined : /^hosts\.([^.]+)\./.exec(path)?.[1]
    return host === undefined ? [] : [host]
  })
  return [...new Set(names)]
}

export function MissingSecrets({ hosts, give }: { hosts: string[]; give?: () => void }) {
  const t = useT()
  if (hosts.length === 0) return null
  const named = hosts.length > 5 ? `${hosts.slice(0, 5).join(', ')} …` : hosts.join(', ')
  return (
    <Banner tone="warn" title={t('secrets.missing', { n: hosts.length })} actions={give && <Button onClick={give}>{t('secrets.give')}</Button>}>
      <span className="mono">{named}</span>
    </Banner>
  )
}

export function LoginDialog({ name, handle, hosts, update, close }: LoginProps) {
  const t = useT()
  const [method, setMethod] = useState<Method>(methodOf(hosts[0]))
  const [secret, setSecret] = useState('')
  const [file, setFile] = useState(String(hosts[0]?.key?.file ?? ''))
  const [sudo, setSudo] = useState('')
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const names = hosts.map((host) => host.name)
  const login = (host: Host): Host => {
    const { key: _key, password: _password, ...rest } = host
    const next: Host = { ...rest, name: host.name, address: host.address, roles: host.roles }
    if (method === 'password') next.password = { prompt: true }
    if (method === 'key') next.key = { prompt: true }
    if (method === 'key-file') next.key = { file }
    if (sudo) next.become = { ...(host.become as JsonObject | undefined), password: { prompt: true } }
    return next
  }
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      update(login)
      await handle.flush()
      if (secret && (method === 'password' || method === 'key')) await keepSecret(name, names, method, secret)
      if (sudo) await keepSecret(name, names, 'become.password', sudo)
      close()
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  return (
    <Question
      onClose={close}
      title={names.length === 1 ? t('login.title-one', { host: names[0]! }) : t('login.title', { n: names.length })}
      busy={busy}
      yes={t('login.submit')}
      onYes={() => void submit()}
    >
      <ErrorBanner error={error} />
      <SelectField label={t('login.method')} value={method} onChange={(event) => setMethod(event.target.value as Method)}>
        <option value="agent">{t('login.method-agent')}</option>
        <option value="password">{t('login.method-password')}</option>
        <option value="key">{t('login.method-key')}</option>
        <option value="key-file">{t('login.method-key-file')}</option>
      </SelectField>
      {method === 'password' && <TextField label={t('login.secret-password')} type="password" autoComplete="new-password" value={secret} onChange={(event) => setSecret(event.target.value)} help={t('login.sealed')} />}
      {method === 'key' && (
        <Field label={t('login.secret-key')} help={t('login.sealed')}>
          {({ id, describedBy }) => <textarea id={id} aria-describedby={describedBy} className="mono" rows={5} value={secret} spellCheck={false} onChange={(event) => setSecret(event.target.value)} />}
        </Field>
      )}
      {method === 'key-file' && <TextField label={t('login.file')} value={file} onChange={(event) => setFile(event.target.value)} help={t('login.file-help')} className="mono" />}
      <TextField label={t('login.sudo')} type="password" autoComplete="new-password" value={sudo} onChange={(event) => setSudo(event.target.value)} help={t('login.sudo-help')} />
    </Question>
  )
}
