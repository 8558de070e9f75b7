// The frame around every screen: where one is, who one is, and whether a run is going on.
import { useEffect, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { remove } from '../api/client'
import { liveRun, useClusters } from '../api/queries'
import type { Session } from '../api/types'
import { useSpeech, useT, type Language } from '../i18n'
import { Button, cx } from './basic'
import { useTheme, type Theme } from './theme'

function NavLink({ href, children }: { href: string; children: ReactNode }) {
  const [location] = useLocation()
  const here = href === '/' ? location === '/' : location.startsWith(href)
  return (
    <Link href={href} className={cx('nav-link', here && 'here')} aria-current={here ? 'page' : undefined}>
      {children}
    </Link>
  )
}

export function Preferences() {
  const { t, language, setLanguage } = useSpeech()
  const [theme, setTheme] = useTheme()
  return (
    <>
      <select className="small" aria-label={t('shell.language')} value={language} onChange={(event) => setLanguage(event.target.value as Language)}>
        <option value="en" lang="en">
          English
        </option>
        <option value="zh" lang="zh-CN">
          中文
        </option>
      </select>
      <select className="small" aria-label={t('shell.theme')} value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
        <option value="system">{t('shell.theme-system')}</option>
        <option value="light">{t('shell.theme-light')}</option>
        <option value="dark">{t('shell.theme-dark')}</option>
      </select>
    </>
  )
}

// Loading anew leaves nothing of the session in memory.
async function signOut() {
  await remove('/session')
  location.assign('/')
}

export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const t = useT()
  const live = liveRun(useClusters().data)
  const [location] = useLocation()
  useEffect(() => document.getElementById('main')?.focus({ preventScroll: true }), [location])
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t('shell.skip')}
      </a>
      <header className="topbar">
        <Link href="/" className="brand">
          <img src="/icon.svg" alt="" width="20" height="20" /> Slipway
        </Link>
        <nav aria-label={t('shell.navigation')}>
          <NavLink href="/">{t('nav.start')}</NavLink>
          <NavLink href="/bundles">{t('nav.bundles')}</NavLink>
          <NavLink href="/settings">{t('nav.settings')}</NavLink>
        </nav>
        {live && (
          <Link href={`/clusters/${live.cluster}/runs/${live.run}`} className="live">
            <span aria-hidden="true">▶</span> {t('shell.live', { cluster: live.cluster, run: live.run })}
          </Link>
        )}
        <div className="topbar-end">
          <Preferences />
          <span className="muted" title={session.version}>
            {session.user} ({session.role})
          </span>
          <Button kind="quiet" onClick={() => void signOut()}>
            {t('shell.sign-out')}
          </Button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
