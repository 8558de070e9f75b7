import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { remediesZh } from './remedies-zh'
import { titlesZh } from './titles-zh'

// As the program documents them.
const errors = [...readFileSync('../docs/errors.md', 'utf8').matchAll(/^## ([A-Z0-9-]+)$/gm)].map((match) => match[1]!)
const checks = [...readFileSync('../docs/checks.md', 'utf8').matchAll(/^\| `([A-Z0-9-]+)` \|/gm)].map((match) => match[1]!)
// Of these somebody hears who builds bundles, runs a registry of its own, or types commands; the page has none of it.
const notOfThePage = /^(CATALOG|DELEGATE|EXPLAIN|INIT|INVENTORY|LOGIN|PUSH|RECIPE|REPOSITORY|SOURCE|STORE|USAGE)-/
const met = errors.filter((id) => !notOfThePage.test(id))

const tables = { remedies: remediesZh, titles: titlesZh }

it.each(Object.entries(tables))('every check, and every error the page can show, is in Chinese: %s', (_, table) => {
  expect(met.length).toBeGreaterThan(230)
  expect(checks.length).toBeGreaterThan(90)
  expect([...met, ...checks].filter((id) => !table[id])).toEqual([])
})

it.each(Object.entries(tables))('none is for an id that is gone, and each is in Chinese: %s', (_, table) => {
  const known = new Set([...errors, ...checks])
  expect(Object.keys(table).filter((id) => !known.has(id))).toEqual([])
  expect(Object.entries(table).filter(([, text]) => !/[\u4e00-\u9fff]/.test(text))).toEqual([])
})
