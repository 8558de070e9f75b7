// The last look: what would be done on each host, the same as YAML, the command that does it, and the button.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, post, segment } from '../../api/client'
import { awaitJob } from '../../api/jobs'
import { client, useClusters, useRuns, useSession } from '../../api/queries'
import type { Estimate, Job, PlanResult, RunRef } from '../../api/types'
import { useT } from '../../i18n'
import { plainText } from '../../model/ansi'
import { duration, roughly } from '../../model/format'
import { errorsOf, getAt, hostsOf } from '../../model/spec'
import { Badge, Banner, Button, Command, Empty, ErrorBanner, ProblemList, Section } from '../../ui/basic'
import { Question } from '../../ui/dialog'
import { Tabs } from '../../ui/tabs'
import { saveAs } from '../run/logs'
import { IgnoredChecks } from './ignore'
import { PlanView } from './plan-view'
import type { DraftHandle } from './use-draft'
import { useIgnored } from './use-ignored'
import { useRehearsal } from './use-rehearsal'

type View = 'plan' | 'yaml' | 'effective'

export function ReviewStep({ name, handle }: { name: string; handle: DraftHandle }) {
  const t = useT()
  const [view, setView] = useState<View>('plan')
  const [plan, setPlan] = useState<{ job: string; result: PlanResult; etag: string }>()
  const [busy, setBusy] = useState(false)
  const [lines, setLines] = useState<string[]>([])
  const [simulate, setSimulate] = useRehearsal(name)
  const [error, setError] = useState<unknown>()
  const draft = handle.draft!
  const errors = errorsOf(draft.problems)
  const stale = plan !== undefined && plan.etag !== draft.etag
  const makePlan = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await handle.flush()
      const job = await post<Job<PlanResult>>(`/specs/${segment(name)}/plan`, simulate ? { simulate } : {})
      const ended = await awaitJob<PlanResult>(job.id, (now) => setLines(now.lines))
      if (ended.problem) throw new ApiError(ended.problem)
      if (ended.result) setPlan({ job: job.id, result: ended.result, etag: draft.etag })
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  return (
    <div className="step">
      {draft.problems.length > 0 && (
        <Banner tone={errors.length > 0 ? 'bad' : 'info'} title={t(errors.length > 0 ? 'review.problems' : 'review.notices')}>
          <ProblemList problems={draft.problems} />
        </Banner>
      )}
      <ApplyBar name={name} handle={handle} plan={stale ? undefined : plan} ready={errors.length === 0} simulate={simulate} />
      <Tabs<View>
        label={t('draft.review')}
        value={view}
        onChange={setView}
        tabs={[
          {
            value: 'plan',
            label: t('review.plan'),
            content: () => (
              <>
                <div className="toolbar">
                  <Button kind={plan && !stale ? 'plain' : 'primary'} busy={busy} disabled={errors.length > 0} onClick={() => void makePlan()}>
                    {t(busy ? 'review.planning' : plan ? 'review.plan-again' : 'review.make-plan')}
                  </Button>
                  {busy && lines.length > 0 && <span className="muted">{plainText(lines.at(-1)!)}</span>}
                  <label className="check">
                    <input
                      type="checkbox"
                      checked={simulate}
                      onChange={(event) => {
                        setSimulate(event.target.checked)
                        setPlan(undefined)
                      }}
                    />{' '}
                    {t('review.simulate')}
                  </label>
                  {stale && <Badge tone="warn">{t('review.stale')}</Badge>}
                </div>
                <ErrorBanner error={error} />
                {plan ? <PlanView plan={plan.result} /> : <Empty>{t('review.no-plan')}</Empty>}
              </>
            ),
          },
          { value: 'yaml', label: 'YAML', content: () => <YamlView name={name} handle={handle} /> },
          {
            value: 'effective',
            label: t('review.effective'),
            content: () => (
              <pre className="code" tabIndex={0} aria-label={t('review.effective')}>
                {draft.effective ? JSON.stringify(draft.effective, undefined, 2) : t('review.not-valid')}
              </pre>
            ),
          },
        ]}
      />
    </div>
  )
}

// What earlier runs of the cluster took; without any there is nothing honest to say.
function useEstimate(cluster: string): number | undefined {
  const known = useClusters().data?.some((each) => each.name === cluster) ?? false
  const runs = useRuns(cluster, known).data
  const took = runs?.filter((run) => run.kind === 'apply' && run.result === 'succeeded' && run.seconds !== undefined)
  return took?.[0]?.seconds
}

function TimeNeeded({ estimate }: { estimate: Estimate }) {
  const t = useT()
  const { seconds, low, high, steps, measured } = estimate
  return (
    <span>
      {t('review.takes', { time: roughly(seconds), low: roughly(low), high: roughly(high) })} <span className="muted">{measured > 0 ? t('review.takes-measured', { measured, steps }) : t('review.takes-guess')}</span>
    </span>
  )
}

interface ApplyProps {
  name: string
  handle: DraftHandle
  plan?: { job: string; result: PlanResult }
  ready: boolean
  simulate: boolean
}

function ApplyBar({ name, handle, plan, ready, simulate }: ApplyProps) {
  const t = useT()
  const [, navigate] = useLocation()
  const [asking, setAsking] = useState(false)
  const [unsigned, setUnsigned] = useState(false)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const mayAct = useSession().data?.role !== 'viewer'
  const cluster = String(getAt(handle.spec, ['metadata', 'name']) ?? '')
  const estimate = useEstimate(cluster)
  const bundles = getAt(handle.spec, ['spec', 'bundles'])
  const { ids: ignored, take } = useIgnored(name)
  const apply = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const started = await post<RunRef>(`/specs/${segment(name)}/apply`, { ...(plan ? { plan: plan.job } : {}), ...(simulate ? { simulate } : {}), ...(ignored.length > 0 ? { ignore: ignored } : {}), ...(unsigned ? { allowUnsigned: true } : {}) })
      await client.invalidateQueries({ queryKey: ['clusters'] })
      navigate(`/clusters/${segment(started.cluster)}/runs/${started.run}`)
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  return (
    <Section title={t('review.apply-title', { cluster })}>
      <div className="row">
        <span>{t('hosts.count', { n: hostsOf(handle.spec).length })}</span>
        {plan && <span>{t('review.to-change', { n: plan.result.toChange })}</span>}
        {plan && plan.result.estimate.steps > 0 && <TimeNeeded estimate={plan.result.estimate} />}
        {estimate !== undefined && <span className="muted">{t('review.estimate', { time: duration(estimate) })}</span>}
        {!Array.isArray(bundles) && <Badge tone="info">{t('review.no-bundle')}</Badge>}
        <div className="actions">
          <Button kind="primary" disabled={!ready || !mayAct} onClick={() => setAsking(true)}>
            {t('review.apply')}
          </Button>
        </div>
      </div>
      <IgnoredChecks ids={ignored} take={mayAct ? take : undefined} />
      <Command>{handle.draft!.command + (simulate ? ' --simulate' : '') + (ignored.length > 0 ? ` --ignore ${ignored.join(',')}` : '')}</Command>
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t('review.apply-title', { cluster })}
        busy={busy}
        yes={t('review.apply-yes')}
        onYes={() => void apply()}
      >
        <p>{t(plan ? 'review.with-plan' : 'review.without-plan')}</p>
        {simulate && <Badge tone="info">{t('review.simulate')}</Badge>}
        {ignored.length > 0 && (
          <Banner tone="warn" title={t('ignore.applied', { n: ignored.length })}>
            <code>{ignored.join(', ')}</code>
          </Banner>
        )}
        {Array.isArray(bundles) && (
          <label className="check">
            <input type="checkbox" checked={unsigned} onChange={(event) => setUnsigned(event.target.checked)} /> {t('review.allow-unsigned')}
          </label>
        )}
        <ErrorBanner error={error} />
      </Question>
    </Section>
  )
}

function YamlView({ name, handle }: { name: string; handle: DraftHandle }) {
  const t = useT()
  const { yaml } = handle.draft!
  const [text, setText] = useState<string>()
  const [error, setError] = useState<unknown>()
  const keep = async () => {
    setError(undefined)
    try {
      await handle.putYaml(text!)
      setText(undefined)
    } catch (failure) {
      setError(failure)
    }
  }
  const changed = text !== undefined && text !== yaml
  return (
    <>
      <div className="toolbar">
        <Button kind="primary" disabled={!changed} onClick={() => void keep()}>
          {t('yaml.keep')}
        </Button>
        <Button disabled={!changed} onClick={() => setText(undefined)}>
          {t('yaml.discard')}
        </Button>
        <Button onClick={() => saveAs(new Blob([yaml], { type: 'application/yaml' }), `${name}.yaml`)}>{t('yaml.save')}</Button>
        <span className="muted">{t('yaml.note')}</span>
      </div>
      <ErrorBanner error={error} />
      <textarea className="mono yaml" aria-label="YAML" value={text ?? yaml} spellCheck={false} onChange={(event) => setText(event.target.value)} />
    </>
  )
}
