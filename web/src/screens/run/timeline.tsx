// When each step was at work. Bars are drawn in rows, so that ten thousand of them scroll well.
import { useMemo, useState } from 'react'
import { useRunShow } from '../../api/queries'
import { useT } from '../../i18n'
import { duration } from '../../model/format'
import { ganttOf, ticks, type Bar, type GroupBy } from '../../model/gantt'
import type { RunModel } from '../../model/run'
import { cx, Empty } from '../../ui/basic'
import { VirtualList } from '../../ui/virtual'
import { kNodeGlyphs, nodeWord } from './states'
import { useNow } from './use-run'

interface TimelineProps {
  cluster: string
  run: string
  model: RunModel
  version: number
  open: (id: string) => void
}

export function TimelineView({ cluster, run, model, version, open }: TimelineProps) {
  const t = useT()
  const [groupBy, setGroupBy] = useState<GroupBy>('host')
  const [onlyCritical, setOnlyCritical] = useState(false)
  const ended = !model.going
  const now = useNow(!ended)
  const show = useRunShow(cluster, run, ended)
  const critical = useMemo(() => new Set(show.data?.steps.filter((step) => step.critical).map((step) => (step.host ? `${step.host}/${step.step}` : step.step))), [show.data])
  const gantt = useMemo(
    () => ganttOf({ nodes: model.nodes.values(), started: model.started ?? now, now, groupBy, critical, onlyCritical }),
    [model, version, now, groupBy, critical, onlyCritical],
  )
  const place = (seconds: number) => `${(100 * seconds) / gantt.total}%`
  return (
    <>
      <div className="toolbar">
        <label>
          {t('timeline.group')}{' '}
          <select className="small" value={groupBy} onChange={(event) => setGroupBy(event.target.value as GroupBy)}>
            <option value="host">{t('column.host')}</option>
            <option value="step">{t('column.step')}</option>
          </select>
        </label>
        {critical.size > 0 && (
          <label className="check">
            <input type="checkbox" checked={onlyCritical} onChange={(event) => setOnlyCritical(event.target.checked)} /> {t('timeline.critical', { time: duration(show.data?.criticalSeconds ?? 0) })}
          </label>
        )}
      </div>
      {gantt.rows.length === 0 ? (
        <Empty>{t('run.nothing-yet')}</Empty>
      ) : (
        <VirtualList
          className="virtual gantt"
          label={t('run.timeline')}
          role="list"
          count={gantt.rows.length}
          size={24}
          keyOf={(i) => keyOf(gantt.rows[i]!)}
          header={
            <div className="gantt-row gantt-head" role="presentation">
              <div className="gantt-name" />
              <div className="gantt-lane">
                {ticks(gantt.total).map((tick) => (
                  <span key={tick} className="gantt-tick" style={{ left: place(tick) }}>
                    {duration(tick)}
                  </span>
                ))}
              </div>
            </div>
          }
          row={(i) => {
            const row = gantt.rows[i]!
            if (row.kind === 'group') return <div className="gantt-group">{row.name || t('run.whole-cluster')}</div>
            return <BarRow bar={row.bar} name={groupBy === 'host' ? row.bar.node.step : row.bar.node.host || t('run.whole-cluster')} place={place} open={open} />
          }}
        />
      )}
    </>
  )
}

function keyOf(row: ReturnType<typeof ganttOf>['rows'][number]): string {
  return row.kind === 'group' ? `group ${row.name}` : row.bar.node.id
}

function BarRow({ bar, name, place, open }: { bar: Bar; name: string; place: (seconds: number) => string; open: (id: string) => void }) {
  const t = useT()
  const { node } = bar
  const took = duration(bar.to - bar.from)
  const words = `${node.id}: ${nodeWord(t, node.state)}, ${took}`
  return (
    <div className="gantt-row">
      <button className="gantt-name" title={node.id} aria-label={words} onClick={() => open(node.id)}>
        {name}
      </button>
      <div className="gantt-lane" aria-hidden="true">
        <div className={cx('gantt-bar', node.state, bar.critical && 'critical')} style={{ left: place(bar.from), width: place(Math.max(bar.to - bar.from, 0)) }} title={words} onClick={() => open(node.id)}>
          {kNodeGlyphs[node.state]}
        </div>
        <span className="gantt-took" style={{ left: `max(${place(bar.to)}, calc(${place(bar.from)} + 14px))` }}>
          {took}
        </span>
      </div>
    </div>
  )
}
