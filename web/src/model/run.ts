// A run as its events tell it. Events are taken in order; what is shown follows from them alone, so
// a page that was away and comes back shows the same as one that stayed.
import type { Level, RunEvent } from '../api/types'
import { plainText } from './ansi'

export type NodeState =
  | 'running'
  | 'retrying'
  | 'waiting'
  | 'changed'
  | 'unchanged'
  | 'skipped'
  | 'failed'
  | 'cancelled'
  | 'blocked'
  | 'undone'

export interface Trouble {
  error: string
  message: string
  cause: string
  remedy: string
}

export interface RunNode {
  id: string
  host: string
  step: string
  state: NodeState
  attempt: number
  started: number
  finished?: number
  slow: boolean
  waitingFor?: string
  changes: string[]
  trouble?: Trouble
}

export interface HostView {
  name: string
  os: string
  setAside?: { error: string; message: string }
}

export interface Progress {
  percent: number
  done: number
  total: number
  running: number
  left?: number
  low?: number
  high?: number
}

export interface Line {
  seq: number
  time: string
  host: string
  step: string
  stream: string
  line: string
}

const kKeptEvents = 20_000
const kKeptLines = 20_000

export class RunModel {
  lastSeq = 0
  kind = ''
  result = ''
  started?: number
  finished?: number
  paused = false
  cancelling = false
  stopping?: string
  progress: Progress = { percent: 0, done: 0, total: 0, running: 0 }
  counts: Record<string, number> = {}
  readonly hosts = new Map<string, HostView>()
  readonly nodes = new Map<string, RunNode>()
  events: RunEvent[] = []
  lines: Line[] = []
  dropped = 0
  version = 0
  abandoned = false // the stream has ended, the run has not: nobody works on it any more

  abandon() {
    this.abandoned = this.result === ''
    ++this.version
  }

  get going(): boolean {
    return this.result === '' && !this.abandoned
  }

  take(events: RunEvent[]) {
    if (events.length > 0) this.abandoned = false
    for (const event of events) {
      if (event.seq <= this.lastSeq) continue
      this.lastSeq = event.seq
      this.apply(event)
      this.keep(event)
    }
    ++this.version
  }

  private keep(event: RunEvent) {
    if (event.type === 'log.line') this.lines.push(lineOf(event))
    else if (event.type !== 'progress') this.events.push(event)
    if (this.lines.length > kKeptLines * 1.2) this.dropped += this.lines.splice(0, this.lines.length - kKeptLines).length
    if (this.events.length > kKeptEvents * 1.2) this.events.splice(0, this.events.length - kKeptEvents)
  }

  private apply(event: RunEvent) {
    const at = Date.parse(event.time)
    this.started ??= at
    if (event.host) this.host(event.host)
    if (event.type.startsWith('run.')) this.applyRun(event, at)
    else if (event.type.startsWith('host.')) this.applyHost(event)
    else if (event.type.startsWith('step.')) this.applyStep(event, at)
    else if (event.type === 'progress') this.progress = progressOf(event, this.progress)
  }

  private applyRun(event: RunEvent, at: number) {
    if (event.kind) this.kind = text(event.kind)
    switch (event.type) {
      case 'run.started':
        this.progress = { ...this.progress, total: number(event.steps) }
        break
      case 'run.resumed':
        this.reopen()
        break
      case 'run.paused':
        this.paused = true
        break
      case 'run.continued':
        this.paused = false
        break
      case 'run.cancelling':
        this.cancelling = true
        break
      case 'run.stopping':
        this.stopping = text(event.message) || text(event.why)
        break
      case 'run.finished':
        this.finish(event, at)
    }
  }

  private reopen() {
    this.result = ''
    this.finished = undefined
    this.paused = this.cancelling = false
    this.stopping = undefined
    for (const node of this.nodes.values()) {
      if (isOpen(node.state)) this.nodes.delete(node.id)
    }
  }

  private finish(event: RunEvent, at: number) {
    this.result = text(event.result)
    this.finished = at
    this.paused = this.cancelling = false
    this.counts = {}
    for (const key of ['changed', 'unchanged', 'skipped', 'failed', 'blocked'])
      this.counts[key] = number(event[key])
    for (const node of this.nodes.values()) {
      if (!isOpen(node.state)) continue
      node.state = 'cancelled'
      node.finished = at
    }
  }

  private applyHost(event: RunEvent) {
    const host = this.host(event.host ?? '')
    if (event.type === 'host.connected') host.os = text(event.os)
    if (event.type === 'host.set-aside') host.setAside = { error: text(event.error), message: text(event.message) }
    if (event.type === 'host.returned') host.setAside = undefined
  }

  private host(name: string): HostView {
    let host = this.hosts.get(name)
    if (!host) this.hosts.set(name, (host = { name, os: '' }))
    return host
  }

  private applyStep(event: RunEvent, at: number) {
    const node = this.node(event, at)
    node.attempt = number(event.attempt) || node.attempt
    switch (event.type) {
      case 'step.started':
        if (!isOpen(node.state)) node.started = at
        Object.assign(node, { state: 'running', finished: undefined, trouble: undefined, slow: false })
        if (Array.isArray(event.changes)) node.changes = event.changes.map((change) => plainText(String(change)))
        break
      case 'step.retrying':
        Object.assign(node, { state: 'retrying', trouble: troubleOf(event) })
        break
      case 'step.slow':
        node.slow = true
        break
      case 'step.waiting':
        Object.assign(node, { state: 'waiting', waitingFor: text(event.for), trouble: troubleOf(event) })
        break
      case 'step.finished':
        this.finishStep(node, event, at)
    }
  }

  private finishStep(node: RunNode, event: RunEvent, at: number) {
    node.state = text(event.outcome) as NodeState
    node.finished = at
    node.slow = false
    node.waitingFor = undefined
    node.trouble = event.error ? troubleOf(event) : undefined
  }

  private node(event: RunEvent, at: number): RunNode {
    const host = event.host ?? ''
    const step = event.step ?? ''
    const id = host ? `${host}/${step}` : step
    let node = this.nodes.get(id)
    if (!node) {
      node = { id, host, step, state: 'running', attempt: 1, started: at, slow: false, changes: [] }
      this.nodes.set(id, node)
    }
    return node
  }

  get state(): string {
    if (this.result) return this.result
    if (this.abandoned) return 'interrupted'
    if (this.cancelling) return 'cancelling'
    return this.paused ? 'paused' : 'running'
  }

  failures(): Failure[] {
    return failuresOf(this.nodes.values())
  }
  slowNodes(): RunNode[] {
    return [...this.nodes.values()].filter((node) => node.slow && isOpen(node.state))
  }
  waitingNodes(): RunNode[] {
    return [...this.nodes.values()].filter((node) => node.state === 'waiting')
  }
}

export function isOpen(state: NodeState): boolean {
  return state === 'running' || state === 'retrying' || state === 'waiting'
}

// Nodes that failed alike, told once.
export interface Failure extends Trouble {
  step: string
  nodes: RunNode[]
}

export function failuresOf(nodes: Iterable<RunNode>): Failure[] {
  const groups = new Map<string, Failure>()
  for (const node of nodes) {
    if (node.state !== 'failed') continue
    const trouble = node.trouble ?? { error: '', message: '', cause: '', remedy: '' }
    const key = `${node.step}\n${trouble.error}\n${trouble.remedy}`
    const group = groups.get(key)
    if (group) group.nodes.push(node)
    else groups.set(key, { ...trouble, step: node.step, nodes: [node] })
  }
  return [...groups.values()]
}

function troubleOf(event: RunEvent): Trouble {
  return { error: text(event.error), message: text(event.message), cause: text(event.cause), remedy: text(event.remedy) }
}

function progressOf(event: RunEvent, last: Progress): Progress {
  return {
    percent: Math.max(last.percent, number(event.percent)),
    done: number(event.done),
    total: number(event.total) || last.total,
    running: number(event.running),
    left: optional(event['seconds-left']),
    low: optional(event['seconds-left-low']),
    high: optional(event['seconds-left-high']),
  }
}

function lineOf(event: RunEvent): Line {
  return {
    seq: event.seq,
    time: event.time,
    host: event.host ?? '',
    step: event.step ?? '',
    stream: text(event.stream),
    line: text(event.line),
  }
}

const text = (value: unknown) => (typeof value === 'string' ? plainText(value) : '')
const number = (value: unknown) => (typeof value === 'number' ? value : 0)
const optional = (value: unknown) => (typeof value === 'number' ? value : undefined)

// ---- stages: what a person sees of many steps

export const kStages = ['before', 'prepare', 'install', 'certificates', 'start', 'cluster', 'components', 'after'] as const
export type Stage = (typeof kStages)[number]

const kStageOf: Record<string, Stage> = {
  'copy-files': 'before',
  'serve-bundle': 'install',
  'install-packages': 'install',
  'install-container-runtime': 'install',
  'install-kubernetes': 'install',
  'install-etcd-programs': 'install',
  'pull-images': 'install',
  'fetch-charts': 'install',
  'write-certificates': 'certificates',
  'write-etcd-certificates': 'certificates',
  'write-audit-policy': 'certificates',
  'encrypt-secrets': 'certificates',
  'configure-kubeadm': 'certificates',
  'start-etcd': 'start',
  'wait-for-etcd': 'start',
  'start-control-plane': 'start',
  'start-load-balancer': 'start',
  'start-local-balancer': 'start',
  'give-dns-address': 'start',
  'prepare-volumes-folder': 'start',
  'start-kubelet': 'start',
  'wait-for-api': 'start',
  'remove-components': 'components',
  'renew-certificates-timer': 'after',
  'backup-etcd': 'after',
  'await-cluster': 'after',
}

const kClusterSteps = /^(install-(network-plugin|kube-proxy|dns|node-dns|metrics-server|local-storage)|upload-cluster-config|write-kubeconfig|join-node|wait-for-cluster)$/

export function stageOf(step: string): Stage {
  const known = kStageOf[step]
  if (known) return known
  if (/^(operator-)?pre-install-/.test(step)) return 'before'
  if (/^(operator-)?post-(cluster-ready|install)-/.test(step)) return 'after'
  if (step.startsWith('install-component-')) return 'components'
  return kClusterSteps.test(step) ? 'cluster' : 'prepare'
}

export interface Cell {
  nodes: RunNode[]
  state: NodeState | 'none'
  done: number
}

// What one glyph must say of several nodes: the worst that is going on.
const kWorst: NodeState[] = ['failed', 'waiting', 'retrying', 'running', 'cancelled', 'blocked', 'changed', 'undone', 'unchanged', 'skipped']

export function cellOf(nodes: RunNode[]): Cell {
  const state = kWorst.find((each) => nodes.some((node) => node.state === each)) ?? 'none'
  return { nodes, state, done: nodes.filter((node) => !isOpen(node.state) && node.state !== 'failed').length }
}

export type Columns = 'stages' | 'steps'

export interface Matrix {
  columns: string[]
  rows: { host: string; cells: Map<string, Cell> }[]
}

export function matrixOf(run: RunModel, by: Columns): Matrix {
  const rows = new Map<string, Map<string, RunNode[]>>()
  const steps = new Map<string, number>()
  for (const name of run.hosts.keys()) rows.set(name, new Map())
  for (const node of run.nodes.values()) {
    const column = by === 'stages' ? stageOf(node.step) : node.step
    steps.set(column, Math.min(steps.get(column) ?? Infinity, node.started))
    const row = rows.get(node.host) ?? new Map<string, RunNode[]>()
    rows.set(node.host, row)
    const there = row.get(column)
    if (there) there.push(node)
    else row.set(column, [node])
  }
  const columns = by === 'stages' ? kStages.filter((stage) => steps.has(stage)) : [...steps].sort((a, b) => a[1] - b[1]).map(([step]) => step)
  return {
    columns,
    rows: [...rows]
      .sort(([a], [b]) => byHost(a, b))
      .map(([host, cells]) => ({ host, cells: new Map([...cells].map(([column, nodes]) => [column, cellOf(nodes)])) })),
  }
}

const collator = new Intl.Collator('en', { numeric: true })

// w2 before w10; what belongs to no host comes last.
export function byHost(a: string, b: string): number {
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1
  return collator.compare(a, b)
}

export interface EventFilter {
  level: Level | ''
  host: string
  text: string
}

const kLevels: Level[] = ['debug', 'info', 'warning', 'error']

export function filterEvents(events: RunEvent[], filter: EventFilter): RunEvent[] {
  const least = filter.level ? kLevels.indexOf(filter.level) : 0
  const wanted = filter.text.toLowerCase()
  return events.filter(
    (event) =>
      kLevels.indexOf(event.level) >= least &&
      (!filter.host || event.host === filter.host) &&
      (!wanted || JSON.stringify(event).toLowerCase().includes(wanted)),
  )
}

const kSaid = new Set(['seq', 'run', 'time', 'type', 'level', 'host', 'step'])

// The fields of an event's own type, in one line.
export function eventWords(event: RunEvent): string {
  return Object.entries(event)
    .filter(([key, value]) => !kSaid.has(key) && value !== undefined && value !== '')
    .map(([key, value]) => (key === 'message' ? String(value) : `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`))
    .map(plainText)
    .join('  ')
}
