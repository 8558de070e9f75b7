import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { JsonObject } from '../api/types'
import { describe as describeRule, mapOf, parseLines, parseTexts, rowsOf, schemaAt } from './schema'

// The schema the program really prints.
const schema = JSON.parse(readFileSync('mock/fixtures/schema.json', 'utf8')) as JsonObject
const at = (...path: (string | number)[]) => describeRule(schemaAt(schema, path)!)

it('knows what kind of field each is', () => {
  expect(at('spec', 'kubernetes', 'version').kind).toBe('text')
  expect(at('spec', 'kubernetes', 'networks', 'pods')).toMatchObject({ kind: 'texts', default: ['10.244.0.0/16'] })
  expect(at('spec', 'networkPlugin', 'kind')).toMatchObject({ kind: 'choice', choices: ['flannel', 'calico', 'cilium', 'none'], default: 'flannel' })
  expect(at('spec', 'limits', 'retries')).toMatchObject({ kind: 'integer', minimum: 0, maximum: 100, default: 4 })
  expect(at('spec', 'os', 'swapOff').kind).toBe('boolean')
  expect(at('spec', 'etcd', 'key').kind).toBe('secret')
  expect(at('spec', 'etcd', 'args').kind).toBe('map')
  expect(at('spec', 'hosts').kind).toBe('objects')
  expect(at('spec', 'hosts', 0, 'roles')).toMatchObject({ kind: 'choices', choices: ['control-plane', 'etcd', 'worker', 'registry'] })
})

it('leaves out fields that are not built', () => {
  expect(at('spec', 'registry').properties.map(([key]) => key)).not.toContain('address')
})

it('has nothing where there is nothing', () => {
  expect(schemaAt(schema, ['spec', 'nonsense', 'x'])).toBeUndefined()
})

it('tells texts that hold anything from those with a form', () => {
  expect(at('spec', 'hooks', 'preInstall', 0, 'script').kind).toBe('paragraph')
  expect(at('spec', 'hooks', 'operatorPreInstall', 0, 'command').kind).toBe('lines')
  expect(at('spec', 'hooks', 'operatorPreInstall', 0).required).toEqual(['name', 'command'])
})

it('follows maps to what they hold', () => {
  expect(at('spec', 'kubernetes', 'featureGates')).toMatchObject({ kind: 'map', values: { type: 'boolean' } })
  expect(at('spec', 'kubernetes', 'dns', 'hosts', '10.0.0.1').kind).toBe('texts')
})

// A field nobody can draw could only be written as YAML.
it('knows every field of the spec', () => {
  const unknown: string[] = []
  const walk = (path: (string | number)[]) => {
    const about = at(...path)
    if (about.kind === 'other') unknown.push(path.join('.'))
    if (about.kind === 'object') for (const [key] of about.properties) walk([...path, key])
    if (about.kind === 'objects') walk([...path, 0])
  }
  walk(['spec'])
  expect(unknown).toEqual([])
})

it('reads and writes maps and lists', () => {
  expect(mapOf([{ key: 'a', value: '1' }, { key: '', value: 'typing' }, { key: 'a', value: '2' }])).toEqual({ a: '2' })
  expect(mapOf([{ key: '', value: 'x' }])).toBeUndefined()
  expect(rowsOf({ a: '1', b: true })).toEqual([{ key: 'a', value: '1' }, { key: 'b', value: true }])
  expect(parseTexts('a, b\nc')).toEqual(['a', 'b', 'c'])
  expect(parseLines('--set\na=1, b=2\n\n')).toEqual(['--set', 'a=1, b=2'])
})
