// Which screen is shown: by the session first, then by the address.
import { useEffect, useRef, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { whenSignedOut } from './api/client'
import { client, liveRun, useClusters, useSession } from './api/queries'
import { useT } from './i18n'
import { BundleScreen, BundlesScreen } from './screens/bundles'
import { ClusterScreen } from './screens/cluster'
import { DraftScreen } from './screens/draft/draft'
import { RunScreen } from './screens/run/run'
import { SettingsScreen } from './screens/settings'
import { SignIn, Unlock } from './screens/session'
import { Start } from './screens/start'
import { ErrorBanner, Loading } from './ui/basic'
import { Shell } from './ui/shell'

export function App() {
  const session = useSession()
  useEffect(() => whenSignedOut(() => void client.invalidateQueries({ queryKey: ['session'] })), [])
  if (session.isPending) return <Loading />
  // A server that is away for a while takes nothing from the screen.
  if (!session.data) return <ErrorBanner error={session.error} />
  if (session.data.state === 'locked') return <Unlock session={session.data} />
  if (session.data.state === 'signed-out') return <SignIn session={session.data} />
  return (
    <Shell session={session.data}>
      <Screens />
    </Shell>
  )
}

// A page that is opened or reloaded at its root belongs to the run that is going on.
function useLandOnLiveRun(): boolean {
  const [location, navigate] = useLocation()
  const atRoot = useRef(location === '/')
  const [settled, setSettled] = useState(!atRoot.current)
  const clusters = useClusters()
  useEffect(() => {
    if (settled || clusters.isPending) return
    const live = liveRun(clusters.data)
    if (live) navigate(`/clusters/${live.cluster}/runs/${live.run}`, { replace: true })
    setSettled(true)
  }, [settled, clusters.isPending, clusters.data, navigate])
  return settled
}

function Screens() {
  const t = useT()
  if (!useLandOnLiveRun()) return <Loading />
  return (
    <Switch>
      <Route path="/">
        <Start />
      </Route>
      <Route path="/drafts/:name">{({ name }) => <Redirect to={`/drafts/${name}/hosts`} replace />}</Route>
      <Route path="/drafts/:name/:step">{({ name, step }) => <DraftScreen key={name} name={decodeURIComponent(name)} step={step} />}</Route>
      <Route path="/clusters/:name">{({ name }) => <ClusterScreen key={name} name={decodeURIComponent(name)} />}</Route>
      <Route path="/clusters/:name/runs/:run">{({ name, run }) => <RunScreen key={`${name}/${run}`} cluster={decodeURIComponent(name)} run={run} />}</Route>
      <Route path="/bundles">
        <BundlesScreen />
      </Route>
      <Route path="/bundles/:name">{({ name }) => <BundleScreen key={name} name={decodeURIComponent(name)} />}</Route>
      <Route path="/settings">
        <SettingsScreen />
      </Route>
      <Route>
        <h1>{t('not-found.title')}</h1>
        <p>{t('not-found.text')}</p>
      </Route>
    </Switch>
  )
}
