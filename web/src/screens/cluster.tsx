// A cluster as it is now: nodes, what runs in it, certificates, its runs, and how to take it down again.
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { post, segment } from '../api/client'
import { client, kLive, useCluster, useClusters, useRuns, useSession } from '../api/queries'
import type { KubeView, RunRef } from '../api/types'
import { useSpeech, useT } from '../i18n'
import { duration, moment } from '../model/format'
import { Badge, Banner, Button, ButtonLink, Command, ErrorBanner, Loading, Section } from '../ui/basic'
import { Question } from '../ui/dialog'
import { Table } from '../ui/table'
import { Drift } from './drift'
import { Kubeconfig } from './run/done'
import { RunBadge } from './run/states'
import { RunsChart } from './runs-chart'

export function ClusterScreen({ name }: { name: string }) {
  const t = useT()
  const status = useCluster(name, 10_000)
  const spec = useClusters().data?.find((cluster) => cluster.name === name)?.spec
  const mayAct = useSession().data?.role !== 'viewer'
  if (status.isPending) return <Loading />
  if (status.error) return <ErrorBanner error={status.error} />
  const { kubernetes, run, result, kind, lock } = status.data
  return (
    <div className="page">
      <header className="row">
        <h1>{t('cluster.title', { name })}</h1>
        <RunBadge state={result} />
        <div className="actions">
          {kLive.has(result) && <ButtonLink kind="primary" href={`/clusters/${segment(name)}/runs/${run}`}>{t('start.watch')}</ButtonLink>}
          {spec && <ButtonLink href={`/drafts/${segment(spec)}/hosts`}>{t('cluster.edit')}</ButtonLink>}
          <Reset name={name} disabled={kLive.has(result)} />
        </div>
      </header>
      {lock && <Banner tone="info" title={t('cluster.held', { by: lock })} />}
      {kubernetes ? <Kubernetes name={name} view={kubernetes} /> : <Banner tone="info" title={t(kind === 'reset' ? 'cluster.was-reset' : 'cluster.no-kubernetes')} />}
      {spec && kind !== 'reset' && <Drift spec={spec} mayAct={mayAct} />}
      <History name={name} />
    </div>
  )
}

export function Kubernetes({ name, view }: { name: string; view: KubeView }) {
  const { t, language } = useSpeech()
  if (view.simulated) return <Banner tone="info" title={t('cluster.simulated')} />
  if (!view.answers) return <Banner tone="bad" title={t('cluster.silent', { server: view.server })}><span lang="en">{view.why}</span></Banner>
  return (
    <>
      <Section title={t('cluster.access')}>
        <div className="columns">
          <dl className="facts">
            <dt>{t('done.endpoint')}</dt>
            <dd className="mono">{view.server}</dd>
            <dt>Kubernetes</dt>
            <dd>
              {view.version} <Badge tone={view.ready ? 'good' : 'warn'}>{t(view.ready ? 'cluster.ready' : 'cluster.not-ready')}</Badge>
            </dd>
          </dl>
          <Kubeconfig cluster={name} />
        </div>
      </Section>
      <Section title={t('cluster.nodes')} note={String(view.nodes?.length ?? 0)}>
        <Table label={t('cluster.nodes')} columns={['column.name', 'column.roles', 'column.state', 'column.version', 'column.address', 'column.runtime']}>
          {view.nodes?.map((node) => (
            <tr key={node.name}>
              <td>{node.name}</td>
              <td>{node.roles}</td>
              <td>
                <Badge tone={node.ready ? 'good' : 'bad'}>{t(node.ready ? 'cluster.ready' : 'cluster.not-ready')}</Badge> {!node.schedulable && <Badge tone="neutral">{t('cluster.no-pods')}</Badge>} {node.why && <span className="bad-text">{node.why}</span>}
              </td>
              <td>{node.version}</td>
              <td className="mono">{node.address}</td>
              <td>{node.runtime}</td>
            </tr>
          ))}
        </Table>
      </Section>
      <div className="columns">
        <Section title={t('cluster.components')}>
          <Table label={t('cluster.components')} columns={['column.name', 'column.namespace', 'column.ready', 'column.version']}>
            {view.components?.map((component) => (
              <tr key={`${component.namespace}/${component.name}`}>
                <td>{component.name}</td>
                <td>{component.namespace}</td>
                <td>
                  <Badge tone={component.ready >= component.wanted ? 'good' : 'warn'}>{`${component.ready}/${component.wanted}`}</Badge>
                </td>
                <td>{component.version}</td>
              </tr>
            ))}
          </Table>
        </Section>
        <Section title={t('cluster.certificates')}>
          <Table label={t('cluster.certificates')} columns={['column.certificate', 'column.host', 'column.ends']}>
            {view.certificates?.map((certificate, i) => (
              <tr key={i}>
                <td>{certificate.what}</td>
                <td>{certificate.node}</td>
                <td>
                  {certificate.ends ? (
                    <>
                      <Badge tone={certificateTone(certificate.daysLeft ?? 0)}>{t('cluster.days', { n: certificate.daysLeft ?? 0 })}</Badge> <span className="muted">{moment(certificate.ends, language)}</span>
                    </>
                  ) : (
                    <Badge tone="warn">{certificate.unknown}</Badge>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        </Section>
      </div>
    </>
  )
}

export function certificateTone(days: number): 'good' | 'warn' | 'bad' {
  if (days < 0) return 'bad'
  return days < 30 ? 'warn' : 'good'
}

function History({ name }: { name: string }) {
  const { t, language } = useSpeech()
  const runs = useRuns(name)
  return (
    <Section title={t('cluster.history')}>
      <ErrorBanner error={runs.error} />
      {runs.data && <RunsChart runs={runs.data} />}
      <Table label={t('cluster.history')} columns={['column.run', 'column.kind', 'column.state', 'column.started', 'column.took']}>
        {runs.data?.map((run) => (
          <tr key={run.run}>
            <td>
              <Link href={`/clusters/${segment(name)}/runs/${run.run}`}>{run.run}</Link>
            </td>
            <td>{run.kind}</td>
            <td>
              <RunBadge state={run.result} /> {run.ignoredChecks && run.ignoredChecks.length > 0 && <Badge tone="warn">{t('cluster.ignored', { ids: run.ignoredChecks.join(', ') })}</Badge>}
            </td>
            <td className="muted">{moment(run.started, language)}</td>
            <td className="number">{run.seconds === undefined ? '' : duration(run.seconds)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

function Reset({ name, disabled }: { name: string; disabled: boolean }) {
  const t = useT()
  const [, navigate] = useLocation()
  const [asking, setAsking] = useState(false)
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<unknown>()
  if (useSession().data?.role !== 'admin') return null
  const reset = async () => {
    try {
      const started = await post<RunRef>(`/clusters/${segment(name)}/reset`, { confirm: typed })
      await client.invalidateQueries({ queryKey: ['clusters'] })
      navigate(`/clusters/${segment(started.cluster)}/runs/${started.run}`)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <>
      <Button kind="danger" disabled={disabled} onClick={() => setAsking(true)}>
        {t('reset.button')}
      </Button>
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t('reset.title', { name })}
        kind="danger"
        disabled={typed !== name}
        yes={t('reset.yes')}
        onYes={() => void reset()}
      >
        <p>{t('reset.text')}</p>
        <label>
          {t('reset.type', { name })}
          <input className="mono" value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
        </label>
        <ErrorBanner error={error} />
        <Command>{`slipway reset ${name}`}</Command>
      </Question>
    </>
  )
}
