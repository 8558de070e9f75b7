// Which bars a run's timeline has, from when to when, in which order. Pure numbers: the screen only draws.
import { byHost, isOpen, type RunNode } from './run'

export interface Bar {
  node: RunNode
  from: number // seconds since the run began
  to: number
  critical: boolean
}

export type GanttRow = { kind: 'group'; name: string; count: number } | { kind: 'bar'; bar: Bar }

export interface Gantt {
  rows: GanttRow[]
  total: number
}

export type GroupBy = 'host' | 'step'

export interface GanttInput {
  nodes: Iterable<RunNode>
  started: number
  now: number
  groupBy: GroupBy
  critical?: Set<string>
  onlyCritical?: boolean
}

export function ganttOf(input: GanttInput): Gantt {
  const bars = [...input.nodes].map((node) => barOf(node, input)).filter((bar) => !input.onlyCritical || bar.critical)
  const groups = new Map<string, Bar[]>()
  for (const bar of bars) {
    const name = input.groupBy === 'host' ? bar.node.host : bar.node.step
    const group = groups.get(name)
    if (group) group.push(bar)
    else groups.set(name, [bar])
  }
  const rows: GanttRow[] = []
  for (const [name, group] of sorted(groups, input.groupBy)) {
    rows.push({ kind: 'group', name, count: group.length })
    group.sort((a, b) => a.from - b.from || byHost(a.node.id, b.node.id))
    rows.push(...group.map((bar): GanttRow => ({ kind: 'bar', bar })))
  }
  return { rows, total: Math.max(1, ...bars.map((bar) => bar.to)) }
}

function barOf(node: RunNode, { started, now, critical }: GanttInput): Bar {
  const from = Math.max(0, (node.started - started) / 1000)
  const end = node.finished ?? (isOpen(node.state) ? now : node.started)
  return { node, from, to: Math.max(from, (end - started) / 1000), critical: critical?.has(node.id) ?? false }
}

function sorted(groups: Map<string, Bar[]>, by: GroupBy): [string, Bar[]][] {
  const first = (bars: Bar[]) => Math.min(...bars.map((bar) => bar.from))
  return [...groups].sort(([a, barsA], [b, barsB]) => (by === 'host' ? byHost(a, b) : first(barsA) - first(barsB)))
}
