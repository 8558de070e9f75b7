// Where journeys take place: a mock of their own each, or the real server named by
//   SLIPWAY_PAGE_URL   its address
//   SLIPWAY_PAGE_CODE  the unlock code of its console (it must be new)
// Journeys that need a mock's faults or clock are left out on a real one.
import { test as base, type Locator, type Page } from '@playwright/test'
import { resolve } from 'node:path'
import { keepDraft, startRun } from '../../mock/routes.mjs'
import { createMock, kCode, kPassword, type Mock, type MockOptions } from '../../mock/server.mjs'
import { planOf } from '../../mock/spec.mjs'

export const real = process.env.SLIPWAY_PAGE_URL
export const password = process.env.SLIPWAY_PAGE_PASSWORD ?? kPassword
export const code = process.env.SLIPWAY_PAGE_CODE ?? kCode

export interface World {
  url: string
  mock?: Mock
}

interface Fixtures {
  options: MockOptions
  world: World
  violations: string[]
}

export const test = base.extend<Fixtures>({
  options: [{}, { option: true }],
  world: async ({ options }, use) => {
    if (real) return use({ url: real.replace(/\/$/, '') })
    const mock = createMock({ dist: resolve('dist'), password: kPassword, speed: 4, ...options })
    const url = await mock.listen()
    await use({ url, mock })
    await mock.close()
  },
  // What breaks the page's content policy or throws is a failure of every journey.
  violations: [
    async ({ page }, use) => {
      const found: string[] = []
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to/.test(message.text())) found.push(message.text())
      })
      page.on('pageerror', (error) => found.push(String(error)))
      page.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url())
        if (protocol.startsWith('http') && !['127.0.0.1', 'localhost', real && new URL(real).hostname].includes(hostname)) found.push(`outside request: ${request.url()}`)
      })
      await use(found)
      if (found.length > 0) throw new Error(found.join('\n'))
    },
    { auto: true },
  ],
})

export { expect } from '@playwright/test'

export async function signIn(page: Page, { url }: World) {
  const answer = await page.request.get(`${url}/api/v1/session`)
  const { state } = (await answer.json()) as { state: string }
  const headers = { Origin: url }
  if (state === 'locked') await page.request.post(`${url}/api/v1/unlock`, { data: { code, password }, headers })
  else await page.request.post(`${url}/api/v1/session`, { data: { password }, headers })
}

// A change made behind the page's back, by the same interface.
export async function call(page: Page, { url }: World, method: string, path: string, data?: unknown, headers: Record<string, string> = {}) {
  const { csrf } = (await (await page.request.get(`${url}/api/v1/session`)).json()) as { csrf: string }
  const answer = await page.request.fetch(`${url}/api/v1${path}`, { method, data, headers: { 'X-Slipway-Csrf': csrf, Origin: url, ...headers } })
  return { status: answer.status(), text: await answer.text() }
}

export async function putDraft(page: Page, world: World, spec: ReturnType<typeof demoSpec>) {
  const path = `/specs/${spec.metadata.name}`
  const there = await call(page, world, 'GET', path)
  const version: Record<string, string> = there.status === 200 ? { 'If-Match': (JSON.parse(there.text) as { etag: string }).etag } : { 'If-None-Match': '*' }
  const answer = await call(page, world, 'PUT', path, { spec }, version)
  if (answer.status >= 300) throw new Error(answer.text)
}

export function demoSpec(name = 'demo', more: object = {}) {
  const host = (host: string, address: string, roles: string[]) => ({ name: host, address, roles })
  return {
    apiVersion: 'slipway.dev/v1',
    kind: 'Cluster',
    metadata: { name },
    spec: {
      hosts: [
        host('cp1', '10.0.0.11', ['control-plane', 'etcd']),
        host('cp2', '10.0.0.12', ['control-plane', 'etcd']),
        host('cp3', '10.0.0.13', ['control-plane', 'etcd']),
        host('w1', '10.0.0.21', ['worker']),
        host('w2', '10.0.0.22', ['worker']),
      ],
      ...more,
    },
  }
}

export function addDraft({ mock }: World, spec: ReturnType<typeof demoSpec> = demoSpec()) {
  keepDraft(mock!.world, spec.metadata.name, { spec })
}

export function addRun(world: World, spec = demoSpec('demo', { bundles: ['bundles/demo.bundle'] })) {
  addDraft(world, spec)
  return startRun(world.mock!.world, spec.metadata.name, planOf(spec), 'apply', spec.metadata.name)
}

export function addBundle({ mock }: World, name = 'demo.bundle') {
  mock!.world.bundles.set(name, { name, size: 239_104, received: 239_104, modified: new Date().toISOString() })
}

export async function ended(world: World, cluster = 'demo') {
  while (!world.mock!.world.clusters.get(cluster)?.runs.at(-1)?.result) await new Promise((resolve) => setTimeout(resolve, 20))
}

interface Row {
  key: string
  parts: string[]
}

// All rows of a list that has only the visible ones in the page: it is scrolled through.
export async function rowsOf(list: Locator, parts: string[]): Promise<Row[]> {
  return list.evaluate(async (scroller, classes) => {
    const rows = new Map<number, Row>()
    for (let top = 0; ; top += scroller.clientHeight / 2) {
      scroller.scrollTop = top
      for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame)
      for (const row of scroller.querySelectorAll<HTMLElement>('[data-index]'))
        rows.set(Number(row.dataset.index), { key: row.dataset.key ?? '', parts: classes.map((each) => row.querySelector(each)?.textContent ?? '') })
      if (top + scroller.clientHeight >= scroller.scrollHeight) break
    }
    return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row)
  }, parts)
}
