// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { RunRow } from '../api/types'
import { Drawing, lastEnded, RunsChart } from './runs-chart'

afterEach(cleanup)

function run(number: number, result: string, seconds?: number): RunRow {
  return { run: number, kind: 'apply', result, started: '2026-01-01T00:00:00Z', seconds, sessions: 1, plan: '' }
}

const runs = [run(3, 'running'), run(2, 'partial', 60), run(1, 'succeeded', 120)]

it('takes the last runs that ended, oldest first', () => {
  expect(lastEnded(runs).map((each) => each.run)).toEqual([1, 2])
  const many = Array.from({ length: 50 }, (_, i) => run(50 - i, 'succeeded', 1))
  expect(lastEnded(many).map((each) => each.run)).toEqual(Array.from({ length: 30 }, (_, i) => 21 + i))
})

it('draws a bar for each, as high as it took long, marked by how it ended', () => {
  const { container } = render(<Drawing runs={lastEnded(runs)} width={600} />)
  const heights = [...container.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('height')))
  expect(heights[0]).toBe(2 * heights[1]!)
  const bars = [...container.querySelectorAll('.runs-bar')]
  expect(bars.map((bar) => [bar.getAttribute('class'), bar.querySelector('text')!.textContent])).toEqual([
    ['runs-bar good', '✓'],
    ['runs-bar bad', '✗'],
  ])
  expect(bars.map((bar) => bar.querySelector('title')!.textContent)).toEqual(['1 apply: succeeded, 2 min 0 s', '2 apply: partial, 1 min 0 s'])
  expect([...container.querySelectorAll('.visx-axis-left text')].at(-1)!.textContent).toBe('2 min')
  expect([...container.querySelectorAll('.visx-axis-bottom text')].map((label) => label.textContent)).toEqual(['1', '2'])
})

it('says in words what it shows', () => {
  render(<Drawing runs={lastEnded(runs)} width={600} />)
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe('How long the last 2 runs took: 1 apply: succeeded, 2 min 0 s; 2 apply: partial, 1 min 0 s')
})

it('is not there for one run alone', () => {
  const { container } = render(<RunsChart runs={[run(2, 'running'), run(1, 'failed', 3)]} />)
  expect(container.innerHTML).toBe('')
})
