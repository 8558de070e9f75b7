// Where one begins: the run that is going on, clusters, drafts, and ways to a new draft.
import { useState, type FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { ask, post, remove, segment } from '../api/client'
import { client, kLive, useClusters, useDrafts } from '../api/queries'
import type { ClusterSummary, Conversion, Draft } from '../api/types'
import { useSpeech, useT } from '../i18n'
import { moment } from '../model/format'
import { newSpec } from '../model/spec'
import { Badge, Button, ButtonLink, Empty, ErrorBanner, Loading, ProgressBar, Section, SelectField, TextField } from '../ui/basic'
import { DeleteDialog } from '../ui/delete-dialog'
import { Dialog } from '../ui/dialog'
import { Table } from '../ui/table'
import { RunBadge } from './run/states'

export function Start() {
  const t = useT()
  const clusters = useClusters()
  if (clusters.isPending) return <Loading />
  const live = (clusters.data ?? []).filter((cluster) => cluster.run && kLive.has(cluster.run.state))
  const rest = (clusters.data ?? []).filter((cluster) => !live.includes(cluster))
  return (
    <div className="page">
      <h1 className="sr">{t('nav.start')}</h1>
      <ErrorBanner error={clusters.error} />
      {live.map((cluster) => (
        <LiveRun key={cluster.name} cluster={cluster} />
      ))}
      <div className="columns">
        <Drafts />
        <NewCluster />
      </div>
      <Clusters clusters={rest} />
    </div>
  )
}

function LiveRun({ cluster }: { cluster: ClusterSummary }) {
  const t = useT()
  const run = cluster.run!
  return (
    <Section title={t('start.live', { cluster: cluster.name, run: run.id })} actions={<ButtonLink kind="primary" href={`/clusters/${segment(cluster.name)}/runs/${run.id}`}>{t('start.watch')}</ButtonLink>}>
      <div className="row">
        <RunBadge state={run.state} />
        <ProgressBar percent={run.percent ?? 0} label={t('run.progress')} />
        <span className="number">{Math.round(run.percent ?? 0)} %</span>
      </div>
    </Section>
  )
}

function Clusters({ clusters }: { clusters: ClusterSummary[] }) {
  const { t, language } = useSpeech()
  return (
    <Section title={t('start.clusters')}>
      {clusters.length === 0 ? (
        <Empty>{t('start.no-clusters')}</Empty>
      ) : (
        <Table label={t('start.clusters')} columns={['column.name', 'start.last-run', 'column.state', 'column.started']}>
          {clusters.map(({ name, run }) => (
            <tr key={name}>
              <td>
                <Link href={`/clusters/${segment(name)}`}>{name}</Link>
              </td>
              <td>{run && <Link href={`/clusters/${segment(name)}/runs/${run.id}`}>{`${run.kind} ${run.id}`}</Link>}</td>
              <td>{run && <RunBadge state={run.result ?? run.state} />}</td>
              <td className="muted">{run && moment(run.started, language)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

function Drafts() {
  const { t, language } = useSpeech()
  const drafts = useDrafts()
  const [doomed, setDoomed] = useState('')
  const drop = async () => {
    await remove(`/specs/${segment(doomed)}`)
    await client.invalidateQueries({ queryKey: ['specs'] })
  }
  return (
    <Section title={t('start.drafts')} note={t('start.drafts-note')}>
      <ErrorBanner error={drafts.error} />
      {drafts.data?.length === 0 && <Empty>{t('start.no-drafts')}</Empty>}
      {drafts.data && drafts.data.length > 0 && (
        <Table label={t('start.drafts')} columns={['column.name', 'column.hosts', 'column.state', 'column.updated']} actions>
          {drafts.data.map((draft) => (
            <tr key={draft.name}>
              <td>
                <Link href={`/drafts/${segment(draft.name)}/hosts`}>{draft.name}</Link>
              </td>
              <td className="number">{draft.hosts}</td>
              <td>{draft.valid ? <Badge tone="good">{t('draft.valid')}</Badge> : <Badge tone="warn">{t('draft.has-problems')}</Badge>}</td>
              <td className="muted">{moment(draft.updated, language)}</td>
              <td className="end">
                <Button kind="quiet" aria-label={t('start.delete-draft', { name: draft.name })} onClick={() => setDoomed(draft.name)}>
                  {t('delete')}
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {doomed && (
        <DeleteDialog title={t('start.delete-draft', { name: doomed })} remove={drop} close={() => setDoomed('')}>
          {t('start.delete-draft-text')}
        </DeleteDialog>
      )}
    </Section>
  )
}

async function makeDraft(name: string, body: { yaml: string } | { spec: unknown }): Promise<Draft> {
  const { body: draft } = await ask<Draft>(`/specs/${segment(name)}`, { method: 'PUT', body, headers: { 'If-None-Match': '*' } })
  await client.invalidateQueries({ queryKey: ['specs'] })
  return draft
}

function NewCluster() {
  const t = useT()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>()
  const [importing, setImporting] = useState(false)
  const create = async (event: FormEvent) => {
    event.preventDefault()
    try {
      await makeDraft(name, { spec: newSpec(name) })
      navigate(`/drafts/${segment(name)}/hosts`)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Section title={t('start.new')}>
      <form className="row top" onSubmit={(event) => void create(event)}>
        <TextField label={t('start.cluster-name')} help={t('start.cluster-name-help')} value={name} required pattern="[a-z0-9]([\-a-z0-9]{0,61}[a-z0-9])?" onChange={(event) => setName(event.target.value)} />
        <Button kind="primary" type="submit" className="beside-field" disabled={!name}>
          {t('start.create')}
        </Button>
        <Button className="beside-field" onClick={() => setImporting(true)}>
          {t('start.import')}
        </Button>
      </form>
      <ErrorBanner error={error} />
      <Import open={importing} onClose={() => setImporting(false)} />
    </Section>
  )
}

function nameIn(yaml: string): string {
  return /^metadata:\s*(?:\n\s+|\{\s*)name:\s*["']?([a-z0-9-]+)/m.exec(yaml)?.[1] ?? 'imported'
}

function Import({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [from, setFrom] = useState('')
  const [name, setName] = useState('')
  const [found, setFound] = useState<Conversion>()
  const [error, setError] = useState<unknown>()
  const attempt = async (work: () => Promise<void>) => {
    setError(undefined)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    }
  }
  const convert = async () => {
    const conversion = await post<Conversion>('/convert', from ? { text, from } : { text })
    setFound(conversion)
    setName(nameIn(conversion.yaml))
  }
  const keep = async () => {
    await makeDraft(name, { yaml: found!.yaml })
    navigate(`/drafts/${segment(name)}/hosts`)
  }
  const actions = found ? (
    <>
      <Button onClick={() => setFound(undefined)}>{t('back')}</Button>
      <Button kind="primary" disabled={!name} onClick={() => void attempt(keep)}>
        {t('import.keep')}
      </Button>
    </>
  ) : (
    <Button kind="primary" disabled={!text.trim()} onClick={() => void attempt(convert)}>
      {t('import.convert')}
    </Button>
  )
  return (
    <Dialog open={open} onClose={onClose} title={t('import.title')} actions={actions} wide>
      <ErrorBanner error={error} />
      {!found && (
        <>
          <p>{t('import.text')}</p>
          <div className="row top">
            <SelectField label={t('import.from')} value={from} onChange={(event) => setFrom(event.target.value)}>
              <option value="">{t('import.from-any')}</option>
              <option value="tke">tke.json</option>
              <option value="kubekey">KubeKey</option>
            </SelectField>
            <label className="button beside-field">
              {t('import.file')}
              <input className="sr" type="file" onChange={(event) => void event.target.files?.[0]?.text().then(setText)} />
            </label>
          </div>
          <textarea className="mono" rows={14} aria-label={t('import.content')} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </>
      )}
      {found && (
        <>
          <TextField label={t('import.name')} value={name} onChange={(event) => setName(event.target.value)} />
          {found.unsupported.length > 0 && (
            <>
              <h3>{t('import.unsupported')}</h3>
              <ul>
                {found.unsupported.map(({ path, why }) => (
                  <li key={path}>
                    <code>{path}</code> {why}
                  </li>
                ))}
              </ul>
            </>
          )}
          <pre className="code" tabIndex={0} aria-label="YAML">
            {found.yaml}
          </pre>
        </>
      )}
    </Dialog>
  )
}
