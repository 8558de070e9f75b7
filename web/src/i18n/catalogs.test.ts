import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { translate } from '.'
import { en } from './en'
import { zh } from './zh'

const keys = Object.keys(en) as (keyof typeof en)[]

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else if (/\.tsx?$/.test(entry.name) && !/\.test\.|i18n/.test(path)) yield path
  }
}

const code = [...sources('src')].map((path) => readFileSync(path, 'utf8')).join('\n')
const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()

describe('the catalogs', () => {
  it('have the same keys, none empty', () => {
    expect(Object.keys(zh).sort()).toEqual([...keys].sort())
    expect(keys.filter((key) => !en[key].trim() || !zh[key].trim())).toEqual([])
  })
  it('fill in the same values', () => {
    expect(keys.filter((key) => holes(en[key]).join() !== holes(zh[key]).join())).toEqual([])
  })
  it('have no key that is not used', () => {
    expect(keys.filter((key) => !code.includes(`'${key}'`))).toEqual([])
  })
  it('know every key that is asked for', () => {
    const asked = [...code.matchAll(/\bt\('([a-z.-]+)'/g)].map((match) => match[1]!)
    expect(asked.length).toBeGreaterThan(200)
    expect(asked.filter((key) => !(key in en))).toEqual([])
  })
  it('are in Chinese where they are Chinese', () => {
    const same = keys.filter((key) => en[key] === zh[key])
    expect(same).toEqual(['port.etcd', 'port.kubelet', 'port.ssh'])
  })
})

it('fills in values', () => {
  expect(translate('en', 'run.steps', { done: 3, total: 9 })).toBe('3 of 9 steps')
  expect(translate('zh', 'run.steps', { done: 3, total: 9 })).toBe('3 / 9 个步骤')
  expect(translate('en', 'hosts.count', { n: 1 })).toBe('1 host')
  expect(translate('en', 'hosts.count', { n: 2 })).toBe('2 hosts')
})
