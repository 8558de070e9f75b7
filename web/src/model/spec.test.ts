import { describe, expect, it } from 'vitest'
import type { SpecProblem } from '../api/types'
import { changedPaths, getAt, hostsOf, keepBastions, newSpec, pathText, problemsAt, problemsBelow, setAt, withHosts } from './spec'

describe('setAt', () => {
  const spec = { spec: { kubernetes: { networks: { pods: ['10.0.0.0/16'] } }, hosts: [{ name: 'a' }, { name: 'b' }] } }

  it('changes a copy', () => {
    const next = setAt(spec, ['spec', 'kubernetes', 'networks', 'pods', 0], '10.1.0.0/16')
    expect(getAt(next, ['spec', 'kubernetes', 'networks', 'pods', 0])).toBe('10.1.0.0/16')
    expect(spec.spec.kubernetes.networks.pods[0]).toBe('10.0.0.0/16')
  })
  it('makes what is missing, and takes out what becomes empty', () => {
    expect(setAt({ a: 1 }, ['b', 'c', 'd'], true)).toEqual({ a: 1, b: { c: { d: true } } })
    expect(setAt({ a: 1, b: { c: { d: true } } }, ['b', 'c', 'd'], undefined)).toEqual({ a: 1 })
    expect(setAt(spec, ['spec', 'hosts', 0], undefined)).toMatchObject({ spec: { hosts: [{ name: 'b' }] } })
  })
  it('keeps an entry of a list whose last field was emptied, and drops a list without entries', () => {
    expect(setAt({ list: [{ name: 'a' }] }, ['list', 0, 'name'], undefined)).toEqual({ list: [{}] })
    expect(setAt({ x: 1, list: [{ name: 'a' }] }, ['list', 0], undefined)).toEqual({ x: 1 })
  })
})

it('finds problems at a field and below it', () => {
  const problem = (path: string): SpecProblem => ({ id: 'X', severity: 'error', path, what: '', todo: '' })
  const problems = [problem('hosts[1].address'), problem('hosts[10].address'), problem('hosts')]
  expect(problemsAt(problems, ['spec', 'hosts', 1, 'address'])).toEqual([problems[0]])
  expect(problemsBelow(problems, 'hosts[1]')).toEqual([problems[0]])
  expect(problemsBelow(problems, 'hosts')).toHaveLength(3)
  expect(pathText(['metadata', 'name'])).toBe('metadata.name')
  expect(pathText(['spec', 'registry', 'mirrors', 'docker.io'])).toBe('registry.mirrors["docker.io"]')
})

it('reads and writes hosts', () => {
  const spec = withHosts(newSpec('x'), [{ name: 'a', address: '10.0.0.1', roles: ['worker'], user: undefined }])
  expect(getAt(spec, ['spec', 'hosts'])).toEqual([{ name: 'a', address: '10.0.0.1', roles: ['worker'] }])
  expect(hostsOf(spec)).toHaveLength(1)
  expect(hostsOf({ spec: { hosts: 'nonsense' } })).toEqual([])
})

it('keeps bastions when their host is renamed', () => {
  const hosts = [{ name: 'a', address: '10.0.0.1', roles: [] }, { name: 'b', address: '10.0.0.2', roles: [], bastion: 'a' }]
  expect(keepBastions(hosts, [{ ...hosts[0]!, name: 'gate' }, hosts[1]!])[1]).toMatchObject({ name: 'b', bastion: 'gate' })
})

it('names what differs', () => {
  expect(changedPaths({ spec: { a: 1, b: { c: [1, 2] } } }, { spec: { a: 1, b: { c: [1, 3] }, d: { e: 4 } } })).toEqual(['b.c[1]', 'd.e'])
})
