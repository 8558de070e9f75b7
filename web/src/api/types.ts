// The shapes of docs/api.md. Names are the server's; nothing here is computed.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export type Role = 'viewer' | 'operator' | 'admin'

export interface Session {
  state: 'locked' | 'signed-out' | 'signed-in'
  version: string
  fingerprint: string
  user?: string
  role?: Role
  csrf?: string
  expires?: string
}

export interface SpecProblem {
  id: string
  severity: 'error' | 'notice'
  file?: string
  line?: number
  column?: number
  path: string
  what: string
  todo: string
}

export interface Problem {
  type?: string
  title: string
  status: number
  detail?: string
  id?: string
  cause?: string
  remedy?: string
  problems?: SpecProblem[]
}

export interface List<T> {
  items: T[]
  next?: string
}

export interface Token {
  id: string
  name: string
  role: Role
  created: string
  expires: string
  lastUsed?: string
  token?: string
}

export interface AuditRow {
  seq: number
  time: string
  who: string
  role: string
  from: string
  method: string
  path: string
  status: number
  what?: string
  hash: string
}

export interface AuditList extends List<AuditRow> {
  chain?: string
}

export interface Settings {
  listen: string
  publicNames: string[]
  state: string
  version: string
  program: string
}

export interface StepInfo {
  id: string
  title: string
  where: string
  needs: string[]
  spec: string
  skippable: boolean
  whyNotSkippable: string
  delegable: boolean
  undo: boolean
  whyNoUndo: string
}

export interface ErrorInfo {
  id: string
  summary: string
  cause: string
  remedy: string
}

export interface DraftSummary {
  name: string
  etag: string
  updated: string
  valid: boolean
  hosts: number
  cluster?: string
}

export interface Draft {
  name: string
  yaml: string
  spec: JsonObject
  effective?: JsonObject
  problems: SpecProblem[]
  etag: string
  updated: string
  command: string
}

export interface Validation {
  valid: boolean
  problems: SpecProblem[]
  spec?: JsonObject
  effective?: JsonObject
}

export interface SecretState {
  path: string
  kept: boolean
}

export interface HostKey {
  host: string
  address?: string
  type?: string
  state: 'known' | 'new' | 'changed' | 'revoked' | 'unreachable'
  fingerprint?: string
  message?: string
  remedy?: string
}

export interface KeysResult {
  hosts: HostKey[]
}

export interface ScanResult {
  network: string
  port: number
  looked: number
  hosts: { address: string; server: string }[]
}

export interface Check {
  id: string
  host: string
  otherHost?: string
  result: string
  severity: 'error' | 'warning'
  ignored: boolean
  seen: string
  wanted: string
  remedy: string
}

export interface PreflightResult {
  passed: boolean
  checks: Check[]
}

export interface PlanChange {
  verb: string
  what: string
  detail: string
}

export interface PlanStep {
  id: string
  step: string
  host: string
  title: string
  needs: string[]
  change: string
  reason: string
  changes: PlanChange[]
  problem?: string
}

export interface Estimate {
  seconds: number
  low: number
  high: number
  steps: number
  measured: number
}

export interface PlanResult {
  hash: string
  world: string
  toChange: number
  estimate: Estimate
  steps: PlanStep[]
}

export interface Job<T = unknown> {
  id: string
  kind: string
  spec?: string
  state: 'running' | 'succeeded' | 'failed' | 'cancelled'
  started: string
  finished?: string
  lines: string[]
  result?: T
  problem?: Problem
}

export interface Conversion {
  yaml: string
  from: string
  unsupported: { path: string; why: string }[]
}

export interface RunRef {
  cluster: string
  run: number
}

export interface ClusterSummary {
  name: string
  run?: {
    id: number
    kind: string
    state: string
    result?: string
    started: string
    finished?: string
    percent?: number
  }
  spec?: string
  problem?: string | Problem
}

export interface KubeNode {
  name: string
  roles: string
  ready: boolean
  schedulable: boolean
  version: string
  address: string
  runtime: string
  why?: string
}

export interface KubeComponent {
  name: string
  namespace: string
  kind: string
  ready: number
  wanted: number
  version: string
}

export interface KubeCertificate {
  what: string
  node: string
  ends?: string
  daysLeft?: number
  unknown?: string
}

export interface KubeView {
  server: string
  answers: boolean
  simulated?: boolean
  why?: string
  ready?: boolean
  version?: string
  nodes?: KubeNode[]
  components?: KubeComponent[]
  certificates?: KubeCertificate[]
}

export interface HostCounts {
  name: string
  changed?: number
  unchanged?: number
  skipped?: number
  failed?: number
  unfinished?: number
  undone?: number
}

export interface ClusterStatus {
  cluster: string
  run: number
  kind: string
  result: string
  started: string
  finished?: string
  hosts: HostCounts[]
  ignoredChecks?: string[]
  progress?: string
  waiting?: string[]
  lock?: string
  kubernetes?: KubeView
}

export interface RunRow {
  run: number
  kind: string
  result: string
  started: string
  finished?: string
  seconds?: number
  sessions: number
  plan: string
  ignoredChecks?: string[]
}

export interface RunStep {
  host: string
  step: string
  outcome: string
  ready: number
  started: number
  finished: number
  seconds: number
  after?: string
  critical: boolean
}

export interface RunShow {
  cluster: string
  run: number
  kind: string
  result: string
  started: string
  seconds: number
  criticalSeconds: number
  steps: RunStep[]
}

export type Level = 'debug' | 'info' | 'warning' | 'error'

export interface RunEvent {
  seq: number
  run: number
  time: string
  type: string
  level: Level
  host?: string
  step?: string
  [field: string]: Json | undefined
}

export interface LogLine {
  seq: number
  time: string
  host: string
  step: string
  stream: string
  line: string
}

export interface BundleSummary {
  name: string
  size: number
  modified: string
  state: 'whole' | 'uploading'
  received?: number
}

export interface BundleRoot {
  name: string
  kind: string
  digest: string
  mediaType: string
  artifactType: string
}

export interface BundleInfo {
  name: string
  path?: string
  size?: number
  received?: number
  title?: string
  signatures?: { keyId: string }[]
  names?: BundleRoot[]
  [field: string]: unknown
}
