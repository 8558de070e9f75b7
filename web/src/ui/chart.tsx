// What charts have in common. visx draws them into SVG; their colours stand in the style sheet.
import type { TickRendererProps } from '@visx/axis'
import { scaleUtc } from '@visx/scale'
import { roundDuration } from '../model/format'

export type TimeScale = ReturnType<typeof timeScale>

// Seconds on a calendar that begins at 0: it knows that a minute has 60 of them, and which moments are round.
export function timeScale(seconds: number, range: [number, number]) {
  return scaleUtc<number>({ domain: [0, 1000 * seconds], range })
}

export const place = (scale: TimeScale, seconds: number): number => scale(1000 * seconds)

export const timeOf = (tick: Date | number | { valueOf(): number }): string => roundDuration(Number(tick) / 1000)

// visx's own measures every word in the document, to break lines a label does not have.
export function TickText({ formattedValue, x, y, dx, dy, textAnchor }: TickRendererProps) {
  return (
    <text x={x} y={y} dx={dx} dy={dy} textAnchor={textAnchor}>
      {formattedValue}
    </text>
  )
}
