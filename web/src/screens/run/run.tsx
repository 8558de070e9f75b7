// Watching a run: how far it is, where it stands on every host, what it says, and what can be done.
import { useEffect, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { post, segment } from '../../api/client'
import { client, kLive, useClusters, useSession, useSteps } from '../../api/queries'
import type { RunRef } from '../../api/types'
import { useT } from '../../i18n'
import { duration } from '../../model/format'
import type { RunModel } from '../../model/run'
import { Badge, Banner, Button, Command, ErrorBanner, ProgressBar, type Tone } from '../../ui/basic'
import { Dialog } from '../../ui/dialog'
import { Tabs } from '../../ui/tabs'
import { Remedy, What } from '../../ui/remedy'
import { DonePanel } from './done'
import { EventsView } from './events'
import { FailurePanel } from './failure'
import { LogView } from './logs'
import { MatrixView } from './matrix'
import { NodePanel } from './node'
import { RunBadge } from './states'
import { TimelineView } from './timeline'
import { useNow, useRun, type LiveRun } from './use-run'

type View = 'matrix' | 'timeline' | 'events' | 'logs'
const kViews: View[] = ['matrix', 'timeline', 'events', 'logs']

export type Act = (what: 'pause' | 'continue' | 'cancel' | 'retry' | 'skip' | 'resume', target?: string) => Promise<void>

export function RunScreen({ cluster, run }: { cluster: string; run: string }) {
  const t = useT()
  const live = useRun(cluster, run)
  const [search, setSearch] = useSearchParams()
  const [error, setError] = useState<unknown>()
  const [, navigate] = useLocation()
  useReopen(cluster, run, live)
  const view = kViews.find((each) => each === search.get('view')) ?? 'matrix'
  const node = search.get('node') ?? ''
  const show = (changes: Record<string, string>) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      for (const [key, value] of Object.entries(changes)) value ? next.set(key, value) : next.delete(key)
      return next
    })
  const act: Act = async (what, target) => {
    setError(undefined)
    try {
      const place = what === 'resume' ? 'resume' : `runs/${segment(run)}/${what}`
      const answer = await post<Partial<RunRef>>(`/clusters/${segment(cluster)}/${place}`, target === undefined ? {} : { target })
      if (answer.run !== undefined && String(answer.run) !== run) navigate(`/clusters/${segment(cluster)}/runs/${answer.run}`)
      else if (live.stream === 'ended') live.reopen()
      await client.invalidateQueries({ queryKey: ['clusters'] })
    } catch (failure) {
      setError(failure)
    }
  }
  const open = (id: string) => show({ node: id })
  return (
    <div className="page run">
      <Head cluster={cluster} run={run} live={live} act={act} />
      <ErrorBanner error={error} />
      <Notices live={live} open={open} />
      {live.model.failures().length > 0 && <FailurePanel cluster={cluster} run={run} model={live.model} version={live.version} act={act} open={open} />}
      {live.model.result === 'succeeded' && live.model.kind === 'apply' && <DonePanel cluster={cluster} />}
      <div className={node ? 'split' : undefined}>
        <Tabs<View>
          label={t('run.views')}
          className="tabs grow"
          value={view}
          onChange={(next) => show({ view: next })}
          tabs={[
            { value: 'matrix', label: t('run.matrix'), content: () => <MatrixView model={live.model} version={live.version} selected={node} open={open} /> },
            { value: 'timeline', label: t('run.timeline'), content: () => <TimelineView cluster={cluster} run={run} model={live.model} version={live.version} open={open} /> },
            { value: 'events', label: t('run.events'), content: () => <EventsView model={live.model} version={live.version} open={open} /> },
            { value: 'logs', label: t('run.logs'), content: () => <LogView cluster={cluster} run={run} model={live.model} version={live.version} node="" /> },
          ]}
        />
        {node && <NodePanel cluster={cluster} run={run} model={live.model} version={live.version} id={node} act={act} open={open} close={() => show({ node: '' })} />}
      </div>
    </div>
  )
}

// A run that had ended may be taken up again, here or from a command line, and a moment after it was asked for.
function useReopen(cluster: string, run: string, { stream, reopen }: LiveRun) {
  const { data, dataUpdatedAt } = useClusters()
  const summary = data?.find((each) => each.name === cluster)?.run
  const alive = summary !== undefined && String(summary.id) === run && kLive.has(summary.state)
  useEffect(() => {
    if (alive && stream === 'ended') reopen()
    // Each answer of the server is a reason to look again; the stream's own changes are none.
  }, [alive, dataUpdatedAt])
}

function timeLeft(t: ReturnType<typeof useT>, { left, low, high }: RunModel['progress']): string {
  if (left === undefined) return ''
  if (low === undefined || high === undefined || high - low < 2) return t('run.left', { left: duration(left) })
  return t('run.left-range', { low: duration(low), high: duration(high) })
}

const kTones: Record<string, Tone> = { succeeded: 'good', failed: 'bad', partial: 'bad', paused: 'warn', cancelled: 'warn' }

function Head({ cluster, run, live, act }: { cluster: string; run: string; live: LiveRun; act: Act }) {
  const t = useT()
  const { model, stream } = live
  const { going } = model
  const now = useNow(going && stream !== 'refused')
  const { progress } = model
  const elapsed = model.started === undefined ? undefined : ((model.finished ?? now) - model.started) / 1000
  return (
    <header className="run-head">
      <div className="row">
        <h1>
          <Link href={`/clusters/${segment(cluster)}`}>{cluster}</Link> <span className="muted">/</span> {t('run.title', { kind: model.kind, run })}
        </h1>
        <RunBadge state={model.state} />
        {going && stream !== 'live' && <Badge tone="warn">{t(stream === 'refused' ? 'run.stream-refused' : 'run.stream-waiting')}</Badge>}
        <RunActions cluster={cluster} model={model} act={act} />
      </div>
      <div className="row run-progress">
        <ProgressBar percent={progress.percent} label={t('run.progress')} tone={kTones[model.state] ?? 'busy'} />
        <span className="number strong">{Math.floor(progress.percent)} %</span>
        <span className="number">{t('run.steps', { done: progress.done, total: progress.total })}</span>
        {going && <span className="number">{t('run.running', { n: progress.running })}</span>}
        {elapsed !== undefined && <span className="number">{t('run.elapsed', { time: duration(elapsed) })}</span>}
        {going && <span className="number">{timeLeft(t, progress)}</span>}
        {model.result && <Outcome counts={model.counts} />}
      </div>
    </header>
  )
}

function Outcome({ counts }: { counts: Record<string, number> }) {
  const t = useT()
  return (
    <span className="number">
      {t('run.outcome', { changed: counts.changed ?? 0, unchanged: counts.unchanged ?? 0, skipped: counts.skipped ?? 0, failed: counts.failed ?? 0, blocked: counts.blocked ?? 0 })}
    </span>
  )
}

function RunActions({ cluster, model, act }: { cluster: string; model: RunModel; act: Act }) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  const role = useSession().data?.role
  if (role === 'viewer') return null
  const { going } = model
  const resumable = !going && model.result !== 'succeeded'
  return (
    <div className="actions">
      {going && !model.paused && <Button onClick={() => void act('pause')}>{t('run.pause')}</Button>}
      {going && model.paused && (
        <Button kind="primary" onClick={() => void act('continue')}>
          {t('run.continue')}
        </Button>
      )}
      {going && (
        <Button kind="danger" onClick={() => setAsking(true)} disabled={model.cancelling}>
          {t('run.cancel')}
        </Button>
      )}
      {resumable && (
        <Button kind="primary" onClick={() => void act('resume')}>
          {t('run.retry-all')}
        </Button>
      )}
      {model.failures().length === 0 && (
        <a className="button" href={`/api/v1/clusters/${segment(cluster)}/support`} download>
          {t('run.support')}
        </a>
      )}
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('run.cancel-title')}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('run.cancel-no')}</Button>
            <Button
              kind="danger"
              onClick={() => {
                setAsking(false)
                void act('cancel')
              }}
            >
              {t('run.cancel-yes')}
            </Button>
          </>
        }
      >
        <p>{t('run.cancel-text')}</p>
        <Command>{`slipway cancel ${cluster}`}</Command>
      </Dialog>
    </div>
  )
}

// What a person should know although nothing has failed.
function Notices({ live: { model }, open }: { live: LiveRun; open: (id: string) => void }) {
  const t = useT()
  const slow = model.slowNodes()
  const waiting = model.waitingNodes()
  const now = useNow(slow.length > 0)
  return (
    <>
      {model.stopping && <Banner tone="bad" title={t('run.stopping')}>{model.stopping}</Banner>}
      {slow.length > 0 && (
        <Banner tone="warn" title={t('run.slow', { n: slow.length })}>
          {t('run.slow-text')}
          <ul className="inline-list">
            {slow.slice(0, 5).map((node) => (
              <li key={node.id}>
                <button className="link mono" onClick={() => open(node.id)}>
                  {node.id}
                </button>{' '}
                <span className="muted">{duration((now - node.started) / 1000)}</span>
              </li>
            ))}
          </ul>
        </Banner>
      )}
      {waiting.map((node) => (
        <Banner
          key={node.id}
          tone="warn"
          title={t('run.waiting', { node: node.id, what: node.waitingFor ?? '' })}
          actions={<Button onClick={() => open(node.id)}>{t('run.show')}</Button>}
        >
          <What id={node.trouble?.error} text={node.trouble?.message ?? ''} />
          {node.trouble?.remedy && (
            <div>
              <b>{t('error.remedy')}</b> <Remedy id={node.trouble.error} text={node.trouble.remedy} />
            </div>
          )}
        </Banner>
      ))}
    </>
  )
}

export function useSkippable(step: string): { skippable: boolean; why: string } {
  const steps = useSteps().data
  const found = steps?.find((each) => each.id === step || (each.id.endsWith('*') && step.startsWith(each.id.slice(0, -1))))
  return { skippable: found?.skippable ?? false, why: found?.whyNotSkippable ?? '' }
}
