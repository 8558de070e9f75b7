// What failed, where, its last words, why, and what to do.
import { segment } from '../../api/client'
import { useT } from '../../i18n'
import type { Failure, RunModel } from '../../model/run'
import { Button, Command } from '../../ui/basic'
import { Remedy, What } from '../../ui/remedy'
import { LogRow, nodeOf } from './logs'
import { useSkippable, type Act } from './run'

const kLastLines = 20
const kHostsNamed = 12

interface FailureProps {
  cluster: string
  run: string
  model: RunModel
  version: number
  act: Act
  open: (id: string) => void
}

export function FailurePanel({ cluster, run, model, act, open }: FailureProps) {
  const t = useT()
  const failures = model.failures()
  return (
    <section className="panel failure" aria-label={t('failure.title')}>
      <header className="panel-head">
        <h2>
          <span aria-hidden="true">✗ </span>
          {t('failure.title')}
        </h2>
        <div className="actions">
          <a className="button" href={`/api/v1/clusters/${segment(cluster)}/support`} download>
            {t('run.support')}
          </a>
        </div>
      </header>
      <div className="panel-body">
        {failures.map((failure) => (
          <OneFailure key={`${failure.step} ${failure.error} ${failure.remedy}`} failure={failure} model={model} act={act} open={open} cluster={cluster} run={run} />
        ))}
        <p className="help">{t('failure.support-help')}</p>
      </div>
    </section>
  )
}

function OneFailure({ failure, model, act, open, cluster }: { failure: Failure; model: RunModel; act: Act; open: (id: string) => void; cluster: string; run: string }) {
  const t = useT()
  const { skippable, why } = useSkippable(failure.step)
  const first = failure.nodes[0]!
  const lines = model.lines.filter((line) => nodeOf(line) === first.id).slice(-kLastLines)
  const each = (what: 'retry' | 'skip') => void Promise.all(failure.nodes.map((node) => act(what, node.id)))
  return (
    <article className="one-failure">
      <dl className="facts">
        <dt>{t('failure.what')}</dt>
        <dd>
          <b>{failure.step}</b>: <What id={failure.error} text={failure.message} /> <code className="faint">{failure.error}</code>
        </dd>
        <dt>{t('failure.where')}</dt>
        <dd>
          {failure.nodes.slice(0, kHostsNamed).map((node) => (
            <button key={node.id} className="link mono" onClick={() => open(node.id)}>
              {node.host || t('run.whole-cluster')}
            </button>
          ))}
          {failure.nodes.length > kHostsNamed && <span className="muted"> {t('failure.more', { n: failure.nodes.length - kHostsNamed })}</span>}
        </dd>
        {failure.cause && (
          <>
            <dt>{t('error.cause')}</dt>
            <dd lang="en">{failure.cause}</dd>
          </>
        )}
        {failure.remedy && (
          <>
            <dt>{t('error.remedy')}</dt>
            <dd>
              <Remedy id={failure.error} text={failure.remedy} />
            </dd>
          </>
        )}
      </dl>
      {lines.length > 0 && (
        <div className="last-lines lines" role="log" aria-label={t('failure.last-lines')} tabIndex={0}>
          {lines.map((line) => (
            <LogRow key={line.seq} line={line} short />
          ))}
        </div>
      )}
      <div className="row">
        <Button kind="primary" onClick={() => each('retry')}>
          {t('failure.retry')}
        </Button>
        {model.going && (
          <Button disabled={!skippable} title={why} onClick={() => each('skip')}>
            {t('failure.skip')}
          </Button>
        )}
        {!skippable && why && model.going && (
          <span className="muted" lang="en">
            {why}
          </span>
        )}
        <Command>{`slipway retry ${cluster} --step ${failure.step}${failure.nodes.length === 1 && first.host ? ` --host ${first.host}` : ''}`}</Command>
      </div>
    </article>
  )
}
