// Who may do what: tokens for programs, the password, and the record of everything that was asked.
import { useState, type FormEvent } from 'react'
import { useQuery } from '@tanstack/react-query'
import { ask, get, post, remove, segment } from '../api/client'
import { client, useSession, useSettings, useTokens } from '../api/queries'
import type { AuditList, Token } from '../api/types'
import { useSpeech, useT } from '../i18n'
import { moment } from '../model/format'
import { Badge, Banner, Button, CopyButton, Empty, ErrorBanner, Section, SelectField, TextField } from '../ui/basic'
import { Table } from '../ui/table'
import { kShortest } from './session'

export function SettingsScreen() {
  const t = useT()
  const admin = useSession().data?.role === 'admin'
  return (
    <div className="page">
      <h1>{t('nav.settings')}</h1>
      <Server />
      {admin ? (
        <>
          <div className="columns">
            <Tokens />
            <Password />
          </div>
          <Audit />
        </>
      ) : (
        <Banner tone="info" title={t('settings.admin-only')} />
      )}
    </div>
  )
}

function Server() {
  const t = useT()
  const settings = useSettings()
  const session = useSession().data
  return (
    <Section title={t('settings.server')}>
      <ErrorBanner error={settings.error} />
      {settings.data && (
        <dl className="facts">
          <dt>{t('column.version')}</dt>
          <dd>{settings.data.version}</dd>
          <dt>{t('settings.listen')}</dt>
          <dd className="mono">{settings.data.listen}</dd>
          {settings.data.publicNames.length > 0 && (
            <>
              <dt>{t('settings.names')}</dt>
              <dd className="mono">{settings.data.publicNames.join(', ')}</dd>
            </>
          )}
          <dt>{t('settings.state')}</dt>
          <dd className="mono">{settings.data.state}</dd>
          <dt>{t('session.fingerprint')}</dt>
          <dd className="mono wrap">{session?.fingerprint}</dd>
        </dl>
      )}
    </Section>
  )
}

function Tokens() {
  const { t, language } = useSpeech()
  const tokens = useTokens()
  const [name, setName] = useState('')
  const [role, setRole] = useState('viewer')
  const [days, setDays] = useState(30)
  const [made, setMade] = useState<Token>()
  const [error, setError] = useState<unknown>()
  const refresh = () => client.invalidateQueries({ queryKey: ['tokens'] })
  const make = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      setMade(await post<Token>('/tokens', { name, role, days }))
      setName('')
      await refresh()
    } catch (failure) {
      setError(failure)
    }
  }
  const drop = async (id: string) => {
    await remove(`/tokens/${segment(id)}`)
    await refresh()
  }
  return (
    <Section title={t('tokens.title')} note={t('tokens.note')}>
      <form className="row top" onSubmit={(event) => void make(event)}>
        <TextField label={t('column.name')} value={name} required onChange={(event) => setName(event.target.value)} />
        <SelectField label={t('tokens.role')} value={role} onChange={(event) => setRole(event.target.value)}>
          <option>viewer</option>
          <option>operator</option>
          <option>admin</option>
        </SelectField>
        <TextField label={t('tokens.days')} type="number" className="narrow" min={1} max={3650} value={days} onChange={(event) => setDays(Number(event.target.value))} />
        <Button kind="primary" type="submit" className="beside-field" disabled={!name}>
          {t('tokens.make')}
        </Button>
      </form>
      <ErrorBanner error={error} />
      {made?.token && (
        <Banner tone="good" title={t('tokens.made', { name: made.name })} actions={<CopyButton text={made.token} />}>
          <code className="wrap">{made.token}</code>
        </Banner>
      )}
      {tokens.data?.length === 0 && <Empty>{t('tokens.none')}</Empty>}
      {tokens.data && tokens.data.length > 0 && (
        <Table label={t('tokens.title')} columns={['column.name', 'tokens.role', 'column.ends', 'tokens.last-used']} actions>
          {tokens.data.map((token) => (
            <tr key={token.id}>
              <td>{token.name}</td>
              <td>{token.role}</td>
              <td className="muted">{moment(token.expires, language)}</td>
              <td className="muted">{token.lastUsed ? moment(token.lastUsed, language) : t('tokens.never')}</td>
              <td className="end">
                <Button kind="quiet" aria-label={t('tokens.drop', { name: token.name })} onClick={() => void drop(token.id)}>
                  {t('delete')}
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

function Password() {
  const t = useT()
  const [old, setOld] = useState('')
  const [next, setNext] = useState('')
  const [done, setDone] = useState(false)
  const [error, setError] = useState<unknown>()
  const change = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    setDone(false)
    try {
      await ask('/password', { method: 'PUT', body: { old, new: next } })
      setDone(true)
      setOld('')
      setNext('')
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Section title={t('password.title')}>
      <form onSubmit={(event) => void change(event)}>
        <TextField label={t('password.old')} type="password" autoComplete="current-password" required value={old} onChange={(event) => setOld(event.target.value)} />
        <TextField label={t('password.new')} type="password" autoComplete="new-password" required minLength={kShortest} value={next} onChange={(event) => setNext(event.target.value)} help={t('unlock.password-help', { n: kShortest })} />
        <ErrorBanner error={error} />
        {done && <Banner tone="good" title={t('password.done')} />}
        <Button type="submit" disabled={!old || next.length < kShortest}>
          {t('password.change')}
        </Button>
      </form>
    </Section>
  )
}

function Audit() {
  const { t, language } = useSpeech()
  const [page, setPage] = useState('')
  const audit = useQuery({ queryKey: ['audit', page], queryFn: () => get<AuditList>(`/audit?limit=50&verify=true${page ? `&page=${segment(page)}` : ''}`) })
  const chain = audit.data?.chain
  return (
    <Section
      title={t('audit.title')}
      note={chain && <Badge tone={chain === 'whole' ? 'good' : 'bad'}>{chain === 'whole' ? t('audit.whole') : t('audit.broken', { where: chain })}</Badge>}
      actions={
        <>
          <Button disabled={!page} onClick={() => setPage('')}>
            {t('audit.newest')}
          </Button>
          <Button disabled={!audit.data?.next} onClick={() => setPage(audit.data!.next!)}>
            {t('audit.older')}
          </Button>
        </>
      }
    >
      <ErrorBanner error={audit.error} />
      <Table label={t('audit.title')} columns={['audit.time', 'audit.who', 'audit.from', 'audit.what', 'audit.status']}>
        {audit.data?.items.map((row) => (
          <tr key={row.seq}>
            <td className="muted">{moment(row.time, language)}</td>
            <td>{`${row.who} (${row.role})`}</td>
            <td className="mono">{row.from}</td>
            <td className="wrap">
              <code>{`${row.method} ${row.path}`}</code> <span className="muted">{row.what}</span>
            </td>
            <td>
              <Badge tone={row.status < 400 ? 'good' : 'warn'}>{row.status}</Badge>
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
