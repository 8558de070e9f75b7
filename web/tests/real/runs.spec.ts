// A real server and simulated hosts: the whole way, and everything that may happen to a run under an open page.
import { addHosts, apply, call, demoSpec, expect, expectAccessible, expectAsInJournal, head, look, password, putDraft, stage, test, unlock, type Server } from './stage'
import type { Page } from '@playwright/test'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'

const kEnd = { timeout: 60_000 }
const kCutEvery = Number(process.env.SLIPWAY_CUT_SECONDS ?? 0.8)
const kHeartbeat = ': still here\n\n'.length

// What comes over the page's streams of events: how many were opened, and the size of each piece.
async function watchStreams(page: Page) {
  const seen = { opened: 0, pieces: [] as number[] }
  const ids = new Set<string>()
  const tools = await page.context().newCDPSession(page)
  await tools.send('Network.enable')
  tools.on('Network.responseReceived', ({ requestId, response }) => {
    if (!response.url.endsWith('/events') || response.status !== 200) return
    ids.add(requestId)
    seen.opened = ids.size
  })
  tools.on('Network.dataReceived', ({ requestId, dataLength }) => void (ids.has(requestId) && seen.pieces.push(dataLength)))
  return seen
}

// The first to start: it waits for most of its time.
test('a proxy cuts a stream that has been open, and silent, for long', async ({ page, server }) => {
  await watchNewRun(page, server, 'silent')
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(head(page)).toContainText('paused')
  const streams = await watchStreams(page)
  const proxy = await stage<{ url: string }>('proxy', { name: server.name })
  await page.goto(`${proxy.url}/clusters/silent/runs/1`)
  await expect(head(page)).toContainText('paused')
  // Two signs of life, 15 s apart each: 30 s without a word.
  await expect.poll(() => streams.pieces.slice(-2), kEnd).toEqual([kHeartbeat, kHeartbeat])
  expect(streams.opened).toBe(1)
  const cut = await stage<{ connections: number }>('cut', { proxy: proxy.url })
  expect(cut.connections).toBeGreaterThan(0)
  // Not through the proxy: the run goes on while nobody hears it.
  const answer = await call(page, server, 'POST', '/clusters/silent/runs/1/continue')
  expect(answer.status, answer.text).toBeLessThan(300)
  await expect(head(page)).toContainText('running')
  await expect(head(page)).toContainText('succeeded', kEnd)
  expect(streams.opened).toBeGreaterThan(1)
  await expectAsInJournal(page, server, 'silent')
})

test('the whole way, with a failing check that is repaired', async ({ page, server }) => {
  await page.goto(server.url)
  await expectAccessible(page, 'unlock')
  await unlock(page, server)
  await expectAccessible(page, 'start')
  await page.getByLabel('Name of the cluster').fill('way')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByLabel('On simulated hosts').check()
  await addHosts(page, 'cp1 10.0.0.11 control-plane,etcd\nw[1-2] 10.0.0.[21-22] worker')
  await expect(page.locator('.verdict').filter({ hasText: 'ready' })).toHaveCount(3)

  await page.getByRole('link', { name: 'Network' }).click()
  await page.getByLabel('Service networks').fill('10.0.0.128/25')
  await expect(page.getByRole('status').filter({ hasText: 'Saved on the server' })).toBeVisible()
  await page.getByRole('link', { name: 'Hosts' }).click()
  await expect(page.locator('.verdict').filter({ hasText: 'failed' })).toHaveCount(3)
  await page.getByRole('button', { name: 'w1: details' }).click()
  await expect(page.locator('.host-more')).toContainText('10.0.0.128/25 overlaps 10.0.0.21/24 on eth0')
  await expect(page.locator('.host-more')).toContainText('choose another kubernetes.networks.services')
  await expectAccessible(page, 'hosts')

  await page.getByRole('link', { name: 'Network' }).click()
  await expectAccessible(page, 'network')
  await page.getByLabel('Service networks').fill('10.96.0.0/16')
  await expect(page.getByRole('status').filter({ hasText: 'Saved on the server' })).toBeVisible()
  await page.getByRole('link', { name: 'Hosts' }).click()
  await expect(page.locator('.verdict').filter({ hasText: 'ready' })).toHaveCount(3)
  await expect(page.locator('.host-more')).toHaveCount(0)

  for (const part of ['Components', 'Bundle', 'More settings', 'Review']) {
    await page.getByRole('link', { name: part, exact: true }).click()
    await expectAccessible(page, part)
  }
  await expect(page.getByLabel(/On simulated hosts/)).toBeChecked()
  await page.getByRole('button', { name: 'Make a plan' }).click()
  await expect(page.locator('.plan').first()).toContainText('set-sysctls')
  // The file of the command is what the page shows.
  const command = await page.locator('.command code').innerText()
  const file = /^slipway apply -c (\S+\/way\.yaml) --simulate$/.exec(command)?.[1]
  await page.getByRole('tab', { name: 'YAML' }).click()
  await expect(page.getByRole('textbox', { name: 'YAML' })).toHaveValue(readFileSync(file ?? command, 'utf8'))
  await page.getByRole('button', { name: 'Apply…' }).click()
  await expectAccessible(page, 'apply')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await expect(head(page)).toContainText('succeeded', kEnd)
  await expect(page.getByRole('button', { name: /^w2, Prepare: changed/ })).toBeVisible()
  await expectAsInJournal(page, server, 'way')
})

test('hosts are found in a network and edited together; what is seldom set has forms', async ({ page, server }) => {
  const machine = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2p1\r\n')).listen(0, '127.0.0.9')
  await unlock(page, server)
  const hosts = demoSpec().spec.hosts.map((host) => ({ ...host, taints: [{ key: 'gpu', effect: 'NoSchedule' }], labels: { disk: 'ssd' } }))
  await putDraft(page, server, demoSpec('forms', { hosts, hooks: { preInstall: [{ name: 'greet', script: 'echo one' }] }, registry: { mirrors: { 'docker.io': 'mirror.lan:5000' } } }))
  await page.goto(`${server.url}/drafts/forms/hosts`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Scan a network…' }).click()
  await dialog.getByLabel('Network').fill('127.0.0.8/29')
  await dialog.getByLabel('Port').fill(String((machine.address() as AddressInfo).port))
  await dialog.getByRole('button', { name: 'Scan', exact: true }).click()
  await expect(dialog).toContainText('1 machine answers on SSH, of 6 addresses.')
  await look(page, 'hosts-scan')
  await dialog.getByRole('button', { name: 'Add 1 host' }).click()
  machine.close()

  await page.locator('.host-head input').check()
  await page.getByRole('button', { name: 'Rename, edit…' }).click()
  await dialog.getByLabel('New names').fill('node-{01}')
  await expect(dialog).toContainText('→ node-06')
  await look(page, 'hosts-edit')
  await page.keyboard.press('Escape')
  await page.locator('.row-more').first().click()
  await expect(dialog.getByLabel('key', { exact: true })).toHaveValue('gpu')
  await look(page, 'host-more')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'More settings' }).click()
  await expect(page.locator('.list-entry').first()).toBeVisible()
  await look(page, 'forms')
})

async function watchNewRun(page: Page, server: Server, cluster: string) {
  await unlock(page, server)
  await putDraft(page, server, demoSpec(cluster))
  await apply(page, server, cluster)
  await page.goto(server.url)
  await expect(page).toHaveURL(new RegExp(`/clusters/${cluster}/runs/1`))
  await expect(head(page)).toContainText('running')
}

test('a run that is killed is resumed from the page', async ({ page, server }) => {
  await watchNewRun(page, server, 'killed')
  await expect(head(page)).toContainText(/[3-9] of \d+ steps/)
  await stage('kill-run', { name: server.name, cluster: 'killed' })
  await expect(head(page)).toContainText('interrupted')
  await expectAccessible(page, 'interrupted run')
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect(head(page)).toContainText('succeeded', kEnd)
  await expectAsInJournal(page, server, 'killed')
})

test('a browser that is killed takes nothing along; the next one lands on the live run', async ({ page, server, playwright, launchOptions }) => {
  const doomed = await playwright.chromium.launchServer(launchOptions)
  const browser = await playwright.chromium.connect(doomed.wsEndpoint())
  const watched = await browser.newPage({ ignoreHTTPSErrors: true, locale: 'en-GB' })
  await watchNewRun(watched, server, 'orphan')
  await expect(head(watched)).toContainText(/[3-9] of \d+ steps/)
  const gone = once(doomed.process(), 'exit')
  doomed.process().kill('SIGKILL')
  expect((await gone)[1]).toBe('SIGKILL')

  await page.goto(server.url)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/clusters\/orphan\/runs\/1/)
  await expect(head(page)).toContainText('running')
  await expect(head(page)).toContainText('succeeded', kEnd)
  await expect(page.getByRole('button', { name: /^w2, Prepare: changed/ })).toBeVisible()
  const events = await stage<{ type: string }[]>('events', { name: server.name, cluster: 'orphan' })
  expect(events.filter(({ type }) => type === 'run.resumed')).toEqual([])
  await expectAsInJournal(page, server, 'orphan')
})

test('two tabs show the same run, and what is done in one is seen in the other', async ({ page, server }) => {
  await watchNewRun(page, server, 'tabs')
  const other = await page.context().newPage()
  await other.goto(server.url)
  await expect(other).toHaveURL(/\/clusters\/tabs\/runs\/1/)
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(head(other)).toContainText('paused')
  await other.reload()
  await expect(head(other)).toContainText('paused')
  await other.getByRole('button', { name: 'Continue' }).click()
  await expect(head(page)).toContainText('running')
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await expect(head(other)).toContainText('cancelled')
  await other.getByRole('button', { name: 'Resume' }).click()
  for (const tab of [page, other]) await expect(head(tab)).toContainText('succeeded', kEnd)
  for (const tab of [page, other]) await expectAsInJournal(tab, server, 'tabs')
})

test('a run of the command line is seen by the open page, which cancels it; it is resumed by hand', async ({ page, server }) => {
  await unlock(page, server)
  await stage('apply-by-hand', { name: server.name, cluster: 'typed' })
  await page.getByRole('link', { name: 'Watch' }).click()
  await expect(head(page)).toContainText(/[2-9] of \d+ steps/)
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await expect(head(page)).toContainText('cancelled')
  await stage('resume-by-hand', { name: server.name, cluster: 'typed' })
  await expect(head(page)).toContainText('succeeded', kEnd)
  await expectAsInJournal(page, server, 'typed')
})

test('a proxy cuts every connection again and again', async ({ page, server }) => {
  await unlock(page, server)
  await putDraft(page, server, demoSpec('cut'))
  const proxy = await stage<{ url: string }>('proxy', { name: server.name, period: kCutEvery })
  const streams: string[] = []
  page.on('response', (response) => void (response.url().endsWith('/events') && response.status() === 200 && streams.push(response.url())))
  // Cookies belong to a host, whatever its port.
  await apply(page, server, 'cut')
  await expect(async () => {
    await page.goto(`${proxy.url}/clusters/cut/runs/1`)
    await expect(head(page)).toContainText('steps')
  }).toPass(kEnd)
  await expect(head(page)).toContainText('succeeded', kEnd)
  expect(streams.length).toBeGreaterThan(5)
  await expectAsInJournal(page, server, 'cut')
})

test.describe('a server that goes and comes back', () => {
  test.use({ failpoint: 'engine.before-intent@w2/set-sysctls=error' })
  test('is joined again by the open page; what failed before is retried', async ({ page, server }) => {
    await watchNewRun(page, server, 'back')
    await page.evaluate(() => Object.assign(window, { neverReloaded: true }))
    await stage('kill-server', { name: server.name })
    await expect(head(page)).toContainText('connecting again')
    await expectAccessible(page, 'run without a server')
    await stage('start-server', { name: server.name })
    await expect(head(page)).not.toContainText('connecting again')
    await expect(page.getByLabel('Password')).toHaveCount(0)
    await expect(page).toHaveURL(/\/clusters\/back\/runs\/1/)
    await expect(head(page)).toContainText('partial', kEnd)
    expect(await page.evaluate(() => 'neverReloaded' in window)).toBe(true)
    await expectAsInJournal(page, server, 'back')

    const failure = page.getByRole('region', { name: 'Something failed' })
    await expect(failure).toContainText('set-sysctls')
    await page.getByRole('tab', { name: 'Hosts' }).click()
    await look(page, 'run-failed')
    await failure.getByRole('button', { name: 'Retry' }).click()
    await expect(head(page)).toContainText('succeeded', kEnd)
    await expect(failure).toHaveCount(0)
    await expectAsInJournal(page, server, 'back')
  })
})
