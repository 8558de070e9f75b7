import { useMemo, useState } from 'react'
import { useT, type Key } from '../../i18n'
import { kRoles, parseHostList, type BadLine, type HostRole, type ParsedHost } from '../../model/hostlist'
import { Question } from '../../ui/dialog'

const kReasons: Record<BadLine['reason'], Key> = {
  range: 'add.bad-range',
  counts: 'add.bad-counts',
  address: 'add.bad-address',
  port: 'add.bad-port',
  role: 'add.bad-role',
  columns: 'add.bad-columns',
  'too-many': 'add.bad-many',
  duplicate: 'add.bad-duplicate',
}

const kExample = 'cp[1-3] 10.0.0.[11-13] control-plane,etcd\nw[01-20] ops@10.0.1.[1-20]:2222 worker\n10.0.2.7'

export function AddHosts({ taken, add, close }: { taken: string[]; add: (hosts: ParsedHost[]) => void; close: () => void }) {
  const t = useT()
  const [text, setText] = useState('')
  const [roles, setRoles] = useState<HostRole[]>(['worker'])
  const { hosts, bad } = useMemo(() => parseHostList(text), [text])
  const known = useMemo(() => new Set(taken), [taken])
  const fresh = hosts.filter((host) => !known.has(host.name))
  const there = hosts.length - fresh.length
  const submit = () => {
    add(fresh.map((host) => ({ ...host, roles: host.roles ?? roles })))
    close()
  }
  return (
    <Question
      onClose={close}
      wide
      title={t('hosts.add')}
      disabled={fresh.length === 0 || roles.length === 0}
      yes={t('add.submit', { n: fresh.length })}
      onYes={submit}
    >
      <p>{t('add.text')}</p>
      <textarea className="mono" rows={10} autoFocus aria-label={t('add.list')} placeholder={kExample} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
      <div className="row">
        <label className="button">
          {t('add.file')}
          <input className="sr" type="file" accept=".csv,.txt,text/csv,text/plain" onChange={(event) => void event.target.files?.[0]?.text().then(setText)} />
        </label>
        <RoleBoxes legend={t('add.roles')} roles={roles} setRoles={setRoles} />
      </div>
      <div role="status">
        {fresh.length > 0 && <p>{t('add.found', { n: fresh.length, first: fresh[0]!.name, last: fresh.at(-1)!.name })}</p>}
        {there > 0 && <p className="muted">{t('add.there', { n: there })}</p>}
        {bad.length > 0 && (
          <ul className="problems">
            {bad.slice(0, 20).map((line) => (
              <li key={line.line} className="bad-text">
                {t('add.line', { n: line.line })} <code>{line.text}</code> {t(kReasons[line.reason])}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Question>
  )
}

export function RoleBoxes({ legend, roles, setRoles }: { legend: string; roles: HostRole[]; setRoles: (roles: HostRole[]) => void }) {
  return (
    <fieldset className="inline">
      <legend>{legend}</legend>
      {kRoles.map((role) => (
        <label key={role} className="check">
          <input type="checkbox" checked={roles.includes(role)} onChange={() => setRoles(kRoles.filter((each) => (each === role) !== roles.includes(each)))} /> {role}
        </label>
      ))}
    </fieldset>
  )
}
