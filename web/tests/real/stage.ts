// The browser's end of tests/server/stage.py: a server of its own for every journey, and hands for what a page cannot do.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { clock } from '../../src/model/format'
import { eventWords } from '../../src/model/run'
import type { RunEvent } from '../../src/api/types'
import { call, expect, password, rowsOf, test as base } from '../browser/world'

export { call, demoSpec, expect, password, putDraft } from '../browser/world'

export interface Server {
  name: string
  url: string
  code: string
}

const door = process.env.SLIPWAY_STAGE_URL

export async function stage<T = object>(what: string, body: object = {}): Promise<T> {
  const answer = await fetch(`${door}/${what}`, { method: 'POST', body: JSON.stringify(body) })
  const said = (await answer.json()) as T
  if (!answer.ok) throw new Error(`${what}: ${JSON.stringify(said)}`)
  return said
}

export const test = base.extend<{ failpoint: string; server: Server }>({
  failpoint: ['', { option: true }],
  server: async ({ failpoint }, use, info) => {
    const name = info.titlePath.at(-1)!.replace(/\W+/g, '-').slice(0, 40)
    await use({ name, ...(await stage<{ url: string; code: string }>('serve', { name, failpoint })) })
  },
})

export async function unlock(page: Page, server: Server) {
  await page.goto(server.url)
  await page.getByLabel('Code from the console').fill(server.code)
  await page.getByLabel('New password').fill(password)
  await page.getByLabel('Password again').fill(password)
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByRole('heading', { name: 'New cluster' })).toBeVisible()
}

export async function apply(page: Page, server: Server, cluster: string, simulate = 'demo') {
  const started = await call(page, server, 'POST', `/specs/${cluster}/apply`, { simulate })
  expect(started.status, started.text).toBe(202)
}

export const head = (page: Page) => page.locator('.run-head')

export async function addHosts(page: Page, list: string) {
  await page.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByLabel('List of hosts').fill(list)
  await page.getByRole('button', { name: /^Add \d+ hosts?$/ }).click()
}

// Nothing a program can find on a screen stands in somebody's way.
export async function expectAccessible(page: Page, screen: string) {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(' | ')}`), screen).toEqual([])
}

// And its picture is kept where SLIPWAY_PICTURES says.
export async function look(page: Page, screen: string) {
  await expectAccessible(page, screen)
  const folder = process.env.SLIPWAY_PICTURES
  if (folder) await page.screenshot({ path: `${folder}/${screen}.png`, animations: 'disabled' })
}

const nodeOf = ({ host, step }: RunEvent) => (host && step ? `${host}/${step}` : (step ?? host ?? ''))

// What the page shows of the run, event by event and line by line, is what the journal has: no gap, no double.
export async function expectAsInJournal(page: Page, server: Server, cluster: string) {
  const all = await stage<RunEvent[]>('events', { name: server.name, cluster })
  const events = all.filter(({ type }) => type !== 'progress' && type !== 'log.line')
  await page.bringToFront() // a tab behind another draws a frame a second
  await page.getByRole('tab', { name: 'Events' }).click()
  await page.getByRole('checkbox', { name: 'Follow' }).uncheck()
  await expect(page.getByText(`${events.length} events`)).toBeVisible()
  const shown = await rowsOf(page.getByRole('list', { name: 'Events' }), ['.line-time', '.line-type', '.line-node', '.line-text'])
  expect(shown).toEqual(events.map((event) => ({ key: String(event.seq), parts: [clock(event.time), event.type, nodeOf(event), eventWords(event)] })))
  const lines = all.filter(({ type }) => type === 'log.line')
  await page.getByRole('tab', { name: 'Logs' }).click()
  await expect(page.getByText(`${lines.length} lines`)).toBeVisible()
  if (lines.length === 0) return
  await page.getByRole('checkbox', { name: 'Follow' }).uncheck()
  const said = await rowsOf(page.getByRole('log'), ['.line-node', '.line-text'])
  expect(said).toEqual(lines.map((event) => ({ key: String(event.seq), parts: [nodeOf(event), String(event.line)] })))
}
