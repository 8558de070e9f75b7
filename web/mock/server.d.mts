import type { Server } from 'node:http'

export interface MockOptions {
  dist?: string
  password?: string // set: unlocked already
  speed?: number
  delay?: number // of jobs, ms
  faults?: { node: string; times?: number; retries?: number }[]
  slow?: string[]
  stretch?: number // seconds each step takes
  cutUpload?: boolean // every link is cut at the second part
  cutEvery?: number // events after which a stream is cut
}

export interface MockWorld {
  options: MockOptions
  trusted: Set<string>
  specs: Map<string, { etag: string; yaml: string; spec: { spec?: { hosts?: unknown[] } } }>
  clusters: Map<string, { done: Set<string>; runs: { result: string; events: { seq: number; type: string }[]; subscribers: Set<unknown> }[] }>
  bundles: Map<string, { name: string; size: number; received: number; modified: string }>
  secrets: Map<string, Set<string>>
  sessions: Map<string, unknown>
}

export interface Mock {
  world: MockWorld
  server: Server
  listen(port?: number): Promise<string>
  close(): Promise<void>
}

export const kCode: string
export const kPassword: string
export function createMock(options?: MockOptions): Mock
