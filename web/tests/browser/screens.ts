// Every screen, and how to get it into an interesting state. Used by the accessibility test; each has a picture in docs/page.
import type { Page } from '@playwright/test'
import type { MockOptions } from '../../mock/server.mjs'
import { addBundle, addDraft, addRun, demoSpec, ended, type World } from './world'

export interface Screen {
  name: string
  path: string
  options?: MockOptions
  signedOut?: boolean
  prepare?: (world: World) => Promise<void> | void
  act?: (page: Page) => Promise<void>
}

const withHosts = demoSpec('demo', { bundles: ['bundles/demo.bundle'], components: [{ name: 'hello', chart: 'hello', version: '1.2.0' }] })

const hosts = withHosts.spec.hosts.map((host) => ({ ...host, taints: [{ key: 'gpu', effect: 'NoSchedule' }], labels: { disk: 'ssd' } }))
const withLists = demoSpec('demo', {
  hosts,
  kubernetes: { featureGates: { NodeSwap: true } },
  registry: { logins: [{ host: 'registry.lan', user: 'pull', password: { env: 'PULL' } }], mirrors: { 'docker.io': 'mirror.lan:5000', 'bad key': 'mirror.lan' } },
  hooks: { preInstall: [{ name: 'greet', script: 'echo one', roles: ['worker'] }, { name: 'Wrong' }] },
})

const draft = (world: World) => {
  addBundle(world)
  addDraft(world, withHosts)
}

const failing: MockOptions = { speed: 200, faults: [{ node: 'w2/set-sysctls' }] }

export const screens: Screen[] = [
  { name: 'unlock', path: '/', signedOut: true, options: { password: undefined } },
  { name: 'sign-in', path: '/', signedOut: true },
  { name: 'start-empty', path: '/' },
  {
    name: 'start',
    path: '/settings',
    options: { speed: 0.5 },
    prepare: (world) => void (addRun(world), addDraft(world, demoSpec('other'))),
    act: async (page) => page.getByRole('link', { name: 'Slipway' }).click(),
  },
  {
    name: 'hosts',
    path: '/drafts/demo/hosts',
    prepare: (world) => {
      draft(world)
      for (const last of [11, 12, 13, 21, 22]) world.mock!.world.trusted.add(`10.0.0.${last}`)
    },
    act: async (page) => {
      await page.locator('.verdict [aria-expanded]').last().click()
    },
  },
  {
    name: 'hosts-scan',
    path: '/drafts/demo/hosts',
    prepare: draft,
    act: async (page) => {
      await page.locator('.toolbar > .button').nth(1).click()
      await page.locator('.dialog input').first().fill('10.0.0.0/24')
      await page.locator('.dialog form .button').click()
      await page.locator('.scan-list').waitFor()
    },
  },
  {
    name: 'hosts-edit',
    path: '/drafts/demo/hosts',
    prepare: draft,
    act: async (page) => {
      await page.locator('.host-head input').check()
      await page.locator('.bulk > .button').first().click()
      await page.locator('.dialog input').first().fill('node-{01}')
      await page.locator('.rename-preview').waitFor()
    },
  },
  { name: 'hosts-login', path: '/drafts/demo/hosts', prepare: draft, act: async (page) => (await page.locator('.host-row button.link').first().click(), page.locator('.dialog select').waitFor()) },
  { name: 'hosts-trust', path: '/drafts/demo/hosts', prepare: draft, act: async (page) => page.locator('.actions .button.primary').first().click() },
  { name: 'network', path: '/drafts/demo/network', prepare: draft },
  { name: 'components', path: '/drafts/demo/components', prepare: draft },
  { name: 'bundle', path: '/drafts/demo/bundle', prepare: draft },
  { name: 'options', path: '/drafts/demo/options', prepare: draft },
  { name: 'forms', path: '/drafts/demo/options', prepare: (world) => addDraft(world, withLists), act: async (page) => page.locator('.list-entry').first().waitFor() },
  {
    name: 'host-more',
    path: '/drafts/demo/hosts',
    prepare: (world) => addDraft(world, withLists),
    act: async (page) => (await page.locator('.row-more').first().click(), page.locator('.dialog .list-entry').waitFor()),
  },
  { name: 'review', path: '/drafts/demo/review', prepare: draft, act: async (page) => (await page.locator('.tab-panel .button').first().click(), page.locator('.plan').first().waitFor()) },
  { name: 'run', path: '/clusters/demo/runs/1?node=cp1/set-sysctls', options: { speed: 3, slow: ['cp2/set-sysctls'], stretch: 2 }, prepare: (world) => void addRun(world), act: async (page) => page.locator('.banner').first().waitFor() },
  { name: 'run-failed', path: '/clusters/demo/runs/1', options: failing, prepare: async (world) => (addRun(world), ended(world)) },
  { name: 'run-timeline', path: '/clusters/demo/runs/1?view=timeline', options: failing, prepare: async (world) => (addRun(world), ended(world)) },
  { name: 'run-events', path: '/clusters/demo/runs/1?view=events', options: failing, prepare: async (world) => (addRun(world), ended(world)) },
  { name: 'run-logs', path: '/clusters/demo/runs/1?view=logs', options: { speed: 100 }, prepare: async (world) => (addRun(world), ended(world)) },
  { name: 'run-done', path: '/clusters/demo/runs/1', options: { speed: 200 }, prepare: async (world) => (addRun(world), ended(world)) },
  { name: 'cluster', path: '/clusters/demo', options: { speed: 200 }, prepare: async (world) => (addRun(world), await ended(world), addRun(world), ended(world)), act: async (page) => page.locator('.runs-bar').first().waitFor() },
  { name: 'bundles', path: '/bundles', prepare: (world) => addBundle(world) },
  { name: 'bundle-contents', path: '/bundles/demo.bundle', prepare: (world) => addBundle(world) },
  { name: 'settings', path: '/settings' },
]
