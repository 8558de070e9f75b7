// One step on one host: what it does, how it went, what it said, what can be done about it.
import { useSteps } from '../../api/queries'
import { useT } from '../../i18n'
import { duration } from '../../model/format'
import { isOpen, stageOf, type RunModel } from '../../model/run'
import { Button } from '../../ui/basic'
import { Remedy, What } from '../../ui/remedy'
import { LogView } from './logs'
import { useSkippable, type Act } from './run'
import { kNodeGlyphs, NodeMark } from './states'
import { useNow } from './use-run'

interface NodePanelProps {
  cluster: string
  run: string
  model: RunModel
  version: number
  id: string
  act: Act
  open: (id: string) => void
  close: () => void
}

export function NodePanel({ cluster, run, model, version, id, act, open, close }: NodePanelProps) {
  const t = useT()
  const node = model.nodes.get(id)
  const now = useNow(node !== undefined && isOpen(node.state))
  const title = useSteps().data?.find((step) => step.id === node?.step)?.title
  const { skippable, why } = useSkippable(node?.step ?? '')
  const siblings = node ? [...model.nodes.values()].filter((other) => other.host === node.host && stageOf(other.step) === stageOf(node.step)) : []
  return (
    <aside className="panel node-panel" aria-label={id}>
      <header className="panel-head">
        <h2 className="mono">{id}</h2>
        <div className="actions">
          <Button kind="quiet" onClick={close} aria-label={t('close')}>
            ✕
          </Button>
        </div>
      </header>
      {!node && <p className="empty">{t('node.unknown')}</p>}
      {node && (
        <div className="panel-body">
          {siblings.length > 1 && (
            <nav className="siblings" aria-label={t('node.siblings')}>
              {siblings.map((other) => (
                <button key={other.id} className={`mark cell ${other.state}`} aria-current={other.id === id || undefined} title={other.step} onClick={() => open(other.id)}>
                  <span aria-hidden="true">{kNodeGlyphs[other.state]}</span> <span className="sibling-name">{other.step}</span>
                </button>
              ))}
            </nav>
          )}
          {title && <p lang="en">{title}</p>}
          <dl className="facts">
            <dt>{t('column.state')}</dt>
            <dd>
              <NodeMark state={node.state} /> {node.attempt > 1 && <span className="muted">{t('node.attempt', { n: node.attempt })}</span>}
            </dd>
            <dt>{t('column.took')}</dt>
            <dd>{duration(((node.finished ?? now) - node.started) / 1000)}</dd>
            {node.trouble?.message && (
              <>
                <dt>{t('failure.what')}</dt>
                <dd className="bad-text">
                  <What id={node.trouble.error} text={node.trouble.message} />
                </dd>
              </>
            )}
            {node.trouble?.cause && (
              <>
                <dt>{t('error.cause')}</dt>
                <dd lang="en">{node.trouble.cause}</dd>
              </>
            )}
            {node.trouble?.remedy && (
              <>
                <dt>{t('error.remedy')}</dt>
                <dd>
                  <Remedy id={node.trouble.error} text={node.trouble.remedy} />
                </dd>
              </>
            )}
          </dl>
          {node.state === 'failed' && (
            <div className="row">
              <Button kind="primary" onClick={() => void act('retry', id)}>
                {t('failure.retry')}
              </Button>
              {model.going && (
                <Button disabled={!skippable} title={why} onClick={() => void act('skip', id)}>
                  {t('failure.skip')}
                </Button>
              )}
            </div>
          )}
          {node.changes.length > 0 && (
            <details>
              <summary>{t('node.changes', { n: node.changes.length })}</summary>
              <ul className="changes">
                {node.changes.map((change, i) => (
                  <li key={i} className="mono">
                    {change}
                  </li>
                ))}
              </ul>
            </details>
          )}
          <LogView cluster={cluster} run={run} model={model} version={version} node={id} />
        </div>
      )}
    </aside>
  )
}
