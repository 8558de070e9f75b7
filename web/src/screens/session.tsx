// Before anything else: unlock a new server, or sign in to one.
import { useState, type FormEvent, type ReactNode } from 'react'
import { ApiError, ask, setCsrf } from '../api/client'
import { client } from '../api/queries'
import type { Session } from '../api/types'
import { useT } from '../i18n'
import { Button, ErrorBanner, TextField } from '../ui/basic'
import { Preferences } from '../ui/shell'

async function open(path: string, body: unknown) {
  const { body: session } = await ask<Session>(path, { method: 'POST', body })
  setCsrf(session.csrf)
  client.setQueryData(['session'], session)
}

function Gate({ session, title, children }: { session: Session; title: string; children: ReactNode }) {
  const t = useT()
  return (
    <div className="gate">
      <main className="gate-card">
        <h1>
          <img src="/icon.svg" alt="" width="24" height="24" /> {title}
        </h1>
        {children}
        <dl className="facts">
          <dt>{t('session.fingerprint')}</dt>
          <dd className="mono wrap">{session.fingerprint}</dd>
        </dl>
        <p className="help">{t('session.fingerprint-help')}</p>
        <footer className="gate-foot">
          <span className="muted">Slipway {session.version}</span>
          <Preferences />
        </footer>
      </main>
    </div>
  )
}

function useSubmit(work: () => Promise<void>) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  return { error, busy, submit: (event: FormEvent) => void submit(event) }
}

// As the server wants it; it has the last word.
export const kShortest = 10

export function Unlock({ session }: { session: Session }) {
  const t = useT()
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const differs = again !== '' && again !== password
  const { error, busy, submit } = useSubmit(() => open('/unlock', { code: code.trim(), password }))
  const already = error instanceof ApiError && error.problem.status === 409
  return (
    <Gate session={session} title={t('unlock.title')}>
      <p>{t('unlock.text')}</p>
      <form onSubmit={submit}>
        <TextField label={t('unlock.code')} value={code} onChange={(event) => setCode(event.target.value)} required autoFocus className="mono" />
        <TextField label={t('unlock.password')} type="password" autoComplete="new-password" minLength={kShortest} value={password} onChange={(event) => setPassword(event.target.value)} required help={t('unlock.password-help', { n: kShortest })} />
        <TextField label={t('unlock.again')} type="password" autoComplete="new-password" value={again} onChange={(event) => setAgain(event.target.value)} required help={differs ? t('unlock.differs') : undefined} />
        <ErrorBanner error={error} />
        {already && <Button onClick={() => void client.invalidateQueries({ queryKey: ['session'] })}>{t('signin.submit')}</Button>}
        <Button kind="primary" type="submit" busy={busy} disabled={!code || password.length < kShortest || again !== password}>
          {t('unlock.submit')}
        </Button>
      </form>
    </Gate>
  )
}

export function SignIn({ session }: { session: Session }) {
  const t = useT()
  const [password, setPassword] = useState('')
  const { error, busy, submit } = useSubmit(() => open('/session', { password }))
  return (
    <Gate session={session} title={t('signin.title')}>
      <form onSubmit={submit}>
        <TextField label={t('signin.password')} type="password" autoComplete="current-password" value={password} onChange={(event) => setPassword(event.target.value)} required autoFocus />
        <ErrorBanner error={error} />
        <Button kind="primary" type="submit" busy={busy} disabled={!password}>
          {t('signin.submit')}
        </Button>
      </form>
    </Gate>
  )
}
