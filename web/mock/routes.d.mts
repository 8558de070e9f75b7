import type { MockWorld } from './server.mjs'

export function keepDraft(world: MockWorld, name: string, input: { yaml?: string; spec?: unknown }): { spec: unknown; name: string }
export function startRun(world: MockWorld, name: string, plan: unknown, kind: string, spec: string): { json: { cluster: string; run: number } }
