// When each step was at work. Bars are drawn in rows, so that ten thousand of them scroll well.
import { useParentSize } from '@visx/responsive'
import { useMemo, useState } from 'react'
import { useRunShow } from '../../api/queries'
import { useT } from '../../i18n'
import { duration } from '../../model/format'
import { ganttOf, type Bar, type GroupBy } from '../../model/gantt'
import type { RunModel } from '../../model/run'
import { Empty } from '../../ui/basic'
import { timeScale, type TimeScale } from '../../ui/chart'
import { VirtualList } from '../../ui/virtual'
import { kRowHeight, Lane, TimeAxis } from './lane'
import { nodeWord } from './states'
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
  const { parentRef, width } = useParentSize({ debounceTime: 50 })
  const scale = useMemo(() => timeScale(gantt.total, [0, width]), [gantt.total, width])
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
          size={kRowHeight}
          keyOf={(i) => keyOf(gantt.rows[i]!)}
          header={
            <div className="gantt-row gantt-head" role="presentation">
              <div className="gantt-name" />
              <div className="gantt-lane" ref={parentRef}>
                <TimeAxis scale={scale} />
              </div>
            </div>
          }
          row={(i) => {
            const row = gantt.rows[i]!
            if (row.kind === 'group') return <div className="gantt-group">{row.name || t('run.whole-cluster')}</div>
            return <BarRow bar={row.bar} name={groupBy === 'host' ? row.bar.node.step : row.bar.node.host || t('run.whole-cluster')} scale={scale} open={open} />
          }}
        />
      )}
    </>
  )
}

function keyOf(row: ReturnType<typeof ganttOf>['rows'][number]): string {
  return row.kind === 'group' ? `group ${row.name}` : row.bar.node.id
}

function BarRow({ bar, name, scale, open }: { bar: Bar; name: string; scale: TimeScale; open: (id: string) => void }) {
  const t = useT()
  const { node, from, to } = bar
  const words = t('timeline.bar', { node: node.id, state: nodeWord(t, node.state), from: duration(from), took: duration(to - from) })
  return (
    <div className="gantt-row">
      <button className="gantt-name" title={node.id} aria-label={words} onClick={() => open(node.id)}>
        {name}
      </button>
      <Lane scale={scale} bar={bar} words={words} open={() => open(node.id)} />
    </div>
  )
}
