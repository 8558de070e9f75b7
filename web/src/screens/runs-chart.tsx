// How long a cluster's last runs took, and how they ended. Its name says all of it in words.
import { AxisBottom, AxisLeft } from '@visx/axis'
import { GridRows } from '@visx/grid'
import { useParentSize } from '@visx/responsive'
import { scaleBand } from '@visx/scale'
import { Bar } from '@visx/shape'
import type { RunRow } from '../api/types'
import { useT } from '../i18n'
import { duration } from '../model/format'
import { cx, kToneGlyphs } from '../ui/basic'
import { place, TickText, timeOf, timeScale } from '../ui/chart'
import { runTone, runWord } from './run/states'

const kMost = 30
const kHeight = 150
const kRoom = { left: 60, top: 18, bottom: 22 }
const kWidest = 44 // of a bar and the gap beside it

type Ended = RunRow & { seconds: number }

export function lastEnded(runs: RunRow[]): Ended[] {
  const ended = runs.filter((run): run is Ended => run.seconds !== undefined)
  return ended.sort((a, b) => a.run - b.run).slice(-kMost)
}

export function RunsChart({ runs }: { runs: RunRow[] }) {
  const { parentRef, width } = useParentSize({ debounceTime: 50 })
  const ended = lastEnded(runs)
  if (ended.length < 2) return null // nothing to compare
  return (
    <div className="runs-chart" ref={parentRef}>
      <Drawing runs={ended} width={width} />
    </div>
  )
}

export function Drawing({ runs, width }: { runs: Ended[]; width: number }) {
  const t = useT()
  const across = Math.max(0, Math.min(width - kRoom.left, kWidest * runs.length))
  const down = kHeight - kRoom.top - kRoom.bottom
  const x = scaleBand({ domain: runs.map(({ run }) => run), range: [0, across], padding: 0.3 })
  const y = timeScale(Math.max(...runs.map(({ seconds }) => seconds), 1), [down, 0])
  const words = (run: Ended) => `${run.run} ${run.kind}: ${runWord(t, run.result)}, ${duration(run.seconds)}`
  return (
    <svg className="chart" role="img" aria-label={`${t('cluster.durations', { n: runs.length })}: ${runs.map(words).join('; ')}`} width={kRoom.left + across} height={kHeight}>
      <g transform={`translate(${kRoom.left}, ${kRoom.top})`}>
        <GridRows scale={y} width={across} numTicks={4} />
        <AxisLeft scale={y} numTicks={4} tickFormat={timeOf} tickComponent={TickText} tickLabelProps={{ textAnchor: 'end', dx: -4, dy: 4 }} hideAxisLine hideTicks />
        <AxisBottom scale={x} top={down} numTicks={runs.length} tickComponent={TickText} tickLabelProps={{ textAnchor: 'middle' }} hideTicks />
        {runs.map((run) => {
          const top = place(y, run.seconds)
          return (
            <g key={run.run} className={cx('runs-bar', runTone(run.result))}>
              <title>{words(run)}</title>
              <Bar x={x(run.run)} y={top} width={x.bandwidth()} height={down - top} />
              <text x={(x(run.run) ?? 0) + x.bandwidth() / 2} y={top - 4} textAnchor="middle">
                {kToneGlyphs[runTone(run.result)]}
              </text>
            </g>
          )
        })}
      </g>
    </svg>
  )
}
