// The timeline's drawings: the axis above, and a lane for each bar.
import { AxisTop } from '@visx/axis'
import { GridColumns } from '@visx/grid'
import { Bar as Rect } from '@visx/shape'
import { memo } from 'react'
import { duration } from '../../model/format'
import type { Bar } from '../../model/gantt'
import { cx } from '../../ui/basic'
import { place, TickText, timeOf, type TimeScale } from '../../ui/chart'
import { kNodeGlyphs } from './states'

export const kRowHeight = 24
const kBar = { y: 5, height: 14, least: 14 } // room for the mark
const kTickEvery = 110 // pixels

interface Drawn {
  scale: TimeScale
}

const widthOf = ({ scale }: Drawn) => scale.range()[1]!
const ticksOf = (drawn: Drawn) => Math.max(2, Math.floor(widthOf(drawn) / kTickEvery))

export const TimeAxis = memo(function TimeAxis({ scale }: Drawn) {
  return (
    <svg className="chart gantt-drawing" width={widthOf({ scale })} height={kRowHeight} aria-hidden="true">
      <AxisTop scale={scale} top={kRowHeight} numTicks={ticksOf({ scale })} tickLength={kRowHeight} tickFormat={timeOf} tickComponent={TickText} tickLabelProps={{ textAnchor: 'start', dx: 4, dy: 15 }} hideAxisLine />
    </svg>
  )
})

const Grid = memo(function Grid({ scale }: Drawn) {
  return <GridColumns scale={scale} height={kRowHeight} numTicks={ticksOf({ scale })} />
})

export function Lane({ scale, bar, words, open }: Drawn & { bar: Bar; words: string; open: () => void }) {
  const x = place(scale, bar.from)
  const width = Math.max(kBar.least, place(scale, bar.to) - x)
  return (
    <svg className="chart gantt-drawing" width={widthOf({ scale })} height={kRowHeight} aria-hidden="true">
      <Grid scale={scale} />
      <g className={cx('gantt-bar', bar.node.state, bar.critical && 'critical')} onClick={open}>
        <title>{words}</title>
        <Rect x={x} y={kBar.y} width={width} height={kBar.height} rx={2} />
        <text x={x + kBar.least / 2} y={kRowHeight / 2} dy="0.35em" textAnchor="middle">
          {kNodeGlyphs[bar.node.state]}
        </text>
      </g>
      <text className="gantt-took" x={x + width + 6} y={kRowHeight / 2} dy="0.35em">
        {duration(bar.to - bar.from)}
      </text>
    </svg>
  )
}
