// @vitest-environment jsdom
import { cleanup, fireEvent, render } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Bar } from '../../model/gantt'
import type { NodeState } from '../../model/run'
import { timeScale } from '../../ui/chart'
import { Lane, TimeAxis } from './lane'

afterEach(cleanup)

const scale = timeScale(120, [0, 600])

function bar(from: number, to: number, state: NodeState = 'changed', critical = false): Bar {
  return { node: { id: 'w1/a', host: 'w1', step: 'a', state, attempt: 1, started: 0, slow: false, changes: [] }, from, to, critical }
}

function drawn(what: Bar, open = () => {}) {
  const { container } = render(<Lane scale={scale} bar={what} words="w1/a: changed" open={open} />)
  const number = (name: string, of = 'rect') => Number(container.querySelector(of)!.getAttribute(name))
  return { container, number }
}

it('marks round moments where they are', () => {
  const { container } = render(<TimeAxis scale={scale} />)
  const labels = [...container.querySelectorAll('text')]
  expect(labels.map((label) => label.textContent)).toEqual(['0 s', '30 s', '1 min', '1 min 30 s', '2 min'])
  expect(labels.map((label) => Number(label.getAttribute('x')))).toEqual([0, 150, 300, 450, 600])
})

it('has fewer marks where there is less room', () => {
  const { container } = render(<TimeAxis scale={timeScale(120, [0, 220])} />)
  expect([...container.querySelectorAll('text')].map((label) => label.textContent)).toEqual(['0 s', '1 min', '2 min'])
})

it('draws a bar from its beginning to its end, and says how long that was', () => {
  const { container, number } = drawn(bar(30, 90))
  expect([number('x'), number('width')]).toEqual([150, 300])
  expect(container.querySelector('.gantt-took')!.textContent).toBe('1 min 0 s')
  expect(number('x', '.gantt-took')).toBeGreaterThan(450)
  expect(container.querySelector('title')!.textContent).toBe('w1/a: changed')
  expect(container.querySelectorAll('.visx-columns line')).toHaveLength(5)
})

it('shows the state by a mark, however short the bar', () => {
  const { container, number } = drawn(bar(10, 10, 'failed', true))
  expect(number('width')).toBe(14)
  expect(container.querySelector('.gantt-bar')!.getAttribute('class')).toBe('gantt-bar failed critical')
  expect(container.querySelector('.gantt-bar text')!.textContent).toBe('✗')
})

it('opens what is clicked', () => {
  const open = vi.fn()
  fireEvent.click(drawn(bar(0, 1), open).container.querySelector('rect')!)
  expect(open).toHaveBeenCalledOnce()
})
