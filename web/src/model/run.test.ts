import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../api/types'
import { cellOf, eventWords, filterEvents, matrixOf, RunModel, stageOf } from './run'

// What the program really said of a run in which w2 failed and w1 lost its power.
const recorded = readFileSync('mock/fixtures/events.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RunEvent)

function replay(events: RunEvent[]): RunModel {
  const run = new RunModel()
  run.take(events)
  return run
}

describe('a recorded run', () => {
  const run = replay(recorded)

  it('ends as the program said', () => {
    expect(run.state).toBe('partial')
    expect(run.counts).toEqual({ changed: 34, unchanged: 5, skipped: 0, failed: 1, blocked: 0 })
    expect([...run.nodes.values()].filter((node) => node.state === 'changed')).toHaveLength(34)
    expect(run.progress).toMatchObject({ percent: 100, done: 40, total: 40, running: 0 })
  })

  it('tells what failed, where, why and what to do', () => {
    expect(run.failures()).toMatchObject([
      { step: 'set-sysctls', error: 'SIMULATED-FAULT', remedy: 'change the fault in the profile, then resume', nodes: [{ host: 'w2' }] },
    ])
    expect(run.hosts.get('w2')?.setAside?.error).toBe('SIMULATED-FAULT')
    expect(run.hosts.get('w1')).toEqual({ name: 'w1', os: 'debian 12' })
  })

  it('is the same whatever the pieces, and however often they come', () => {
    const piecemeal = new RunModel()
    for (let at = 0; at < recorded.length; at += 7) piecemeal.take(recorded.slice(Math.max(0, at - 5), at + 7))
    expect([...piecemeal.nodes.values()]).toEqual([...run.nodes.values()])
    expect(piecemeal.events).toHaveLength(run.events.length)
  })

  it('makes a matrix of hosts and stages', () => {
    const matrix = matrixOf(run, 'stages')
    expect(matrix.rows.map((row) => row.host)).toEqual(['cp1', 'cp2', 'cp3', 'w1', 'w2'])
    expect(matrix.columns).toEqual(['prepare'])
    expect(matrix.rows[4]?.cells.get('prepare')).toMatchObject({ state: 'failed' })
    expect(matrix.rows[0]?.cells.get('prepare')).toMatchObject({ state: 'changed', done: 8 })
  })
})

describe('events', () => {
  const event = (seq: number, type: string, more: Partial<RunEvent> = {}): RunEvent => ({
    seq, run: 1, time: `2026-01-01T00:00:0${seq}.000Z`, type, level: 'info', ...more,
  })

  it('pause, go on, and end', () => {
    const run = new RunModel()
    run.take([event(1, 'run.started', { kind: 'apply', steps: 2 }), event(2, 'run.paused', { by: 'x' })])
    expect(run.state).toBe('paused')
    run.take([event(3, 'run.continued'), event(4, 'run.cancelling')])
    expect(run.state).toBe('cancelling')
    run.take([event(5, 'step.started', { host: 'a', step: 's', attempt: 1 }), event(6, 'run.finished', { result: 'cancelled' })])
    expect(run.nodes.get('a/s')?.state).toBe('cancelled')
    run.take([event(7, 'run.resumed', { kind: 'apply' })])
    expect(run.state).toBe('running')
  })

  it('that stop without an end leave an interrupted run, until others come', () => {
    const run = replay([event(1, 'run.started', { kind: 'apply' })])
    run.abandon()
    expect([run.state, run.going]).toEqual(['interrupted', false])
    run.take([event(2, 'run.resumed', { kind: 'apply' })])
    expect(run.state).toBe('running')
    run.take([event(3, 'run.finished', { result: 'succeeded' })])
    run.abandon()
    expect(run.state).toBe('succeeded')
  })

  it('never let progress go back', () => {
    const run = replay([event(1, 'progress', { percent: 40 }), event(2, 'progress', { percent: 35 })])
    expect(run.progress.percent).toBe(40)
  })

  it('of slow and waiting steps are open questions until the step ends', () => {
    const run = replay([event(1, 'step.started', { host: 'a', step: 's' }), event(2, 'step.slow', { host: 'a', step: 's', seconds: 90 })])
    expect(run.slowNodes()).toHaveLength(1)
    run.take([event(3, 'step.waiting', { host: 'a', step: 's', for: 'person', error: 'HOST-DISK-FULL', message: '\u001b[31mfull' })])
    expect(run.waitingNodes()[0]?.trouble?.message).toBe('full')
    run.take([event(4, 'step.finished', { host: 'a', step: 's', outcome: 'changed' })])
    expect([run.slowNodes(), run.waitingNodes()]).toEqual([[], []])
  })

  it('are filtered by level, host and text', () => {
    const list = [event(1, 'x', { level: 'error', host: 'a', message: 'Disk full' }), event(2, 'y', { host: 'b' })]
    expect(filterEvents(list, { level: 'warning', host: '', text: '' })).toHaveLength(1)
    expect(filterEvents(list, { level: '', host: 'b', text: '' })).toHaveLength(1)
    expect(filterEvents(list, { level: '', host: '', text: 'disk' })).toHaveLength(1)
    expect(eventWords(list[0]!)).toBe('Disk full')
  })
})

it('knows the stage of every step of the catalogue', () => {
  expect(['set-sysctls', 'pull-images', 'start-kubelet', 'join-node', 'install-component-x', 'post-install-script-a', 'operator-pre-install-b'].map(stageOf)).toEqual(
    ['prepare', 'install', 'start', 'cluster', 'components', 'after', 'before'],
  )
})

it('shows the worst of a cell', () => {
  const node = (state: 'running' | 'failed' | 'changed') => ({ id: '', host: '', step: '', state, attempt: 1, started: 0, slow: false, changes: [] })
  expect(cellOf([node('changed'), node('failed'), node('running')]).state).toBe('failed')
  expect(cellOf([]).state).toBe('none')
})
