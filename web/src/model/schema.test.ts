import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { JsonObject } from '../api/types'
import { describe as describeRule, mapText, parseMap, parseTexts, schemaAt } from './schema'

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

it('reads and writes maps and lists as lines', () => {
  expect(parseMap('a = 1\n\nb=x=y\nc')).toEqual({ a: '1', b: 'x=y', c: '' })
  expect(parseMap(' \n')).toBeUndefined()
  expect(mapText({ a: '1', b: true })).toBe('a=1\nb=true')
  expect(parseTexts('a, b\nc')).toEqual(['a', 'b', 'c'])
})
