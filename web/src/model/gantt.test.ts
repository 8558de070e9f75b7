import { expect, it } from 'vitest'
import { ganttOf } from './gantt'
import type { RunNode } from './run'

function node(host: string, step: string, started: number, finished?: number): RunNode {
  return { id: `${host}/${step}`, host, step, state: finished ? 'changed' : 'running', attempt: 1, started, finished, slow: false, changes: [] }
}

const nodes = [node('w10', 'b', 3000, 9000), node('w2', 'b', 2000), node('w2', 'a', 1000, 2000)]

it('groups by host in natural order, bars by time; an open bar reaches to now', () => {
  const { rows, total } = ganttOf({ nodes, started: 1000, now: 11_000, groupBy: 'host' })
  expect(rows.map((row) => (row.kind === 'group' ? row.name : `${row.bar.node.step} ${row.bar.from}-${row.bar.to}`))).toEqual([
    'w2', 'a 0-1', 'b 1-10', 'w10', 'b 2-8',
  ])
  expect(total).toBe(10)
})

it('groups by step, and can show the critical path alone', () => {
  const { rows } = ganttOf({ nodes, started: 1000, now: 11_000, groupBy: 'step', critical: new Set(['w10/b']), onlyCritical: true })
  expect(rows).toHaveLength(2)
  expect(rows[0]).toEqual({ kind: 'group', name: 'b', count: 1 })
})
