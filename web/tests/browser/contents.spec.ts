// What each screen is there to say, on the mock's cluster of five hosts.
import type { RunShow } from '../../src/api/types'
import { duration } from '../../src/model/format'
import { addBundle, addDraft, addRun, call, demoSpec, ended, expect, real, rowsOf, signIn, test } from './world'

test.skip(Boolean(real), 'screens are prepared in the mock')

test('the network says what fits into it and which ports must be open', async ({ page, world }) => {
  await signIn(page, world)
  addDraft(world)
  await page.goto(`${world.url}/drafts/demo/network`)
  await page.getByLabel('Pod networks').fill('10.244.0.0/22')
  const room = page.getByRole('group', { name: 'Room and conflicts' })
  await expect(room.getByRole('row', { name: /10\.244\.0\.0\/22/ })).toContainText('4 nodes × 110 pods = 440 pods')
  await expect(room.getByRole('row', { name: /10\.244\.0\.0\/22/ })).toContainText('5 nodes planned')
  await expect(room.getByText('5 nodes planned')).toHaveClass(/bad/)
  const ports = page.getByRole('group', { name: 'Ports between hosts' })
  await expect(ports.getByRole('row', { name: /API server$/ })).toContainText('6443/tcp')
  await expect(ports.getByRole('row', { name: /etcd$/ })).toContainText('2379-2380/tcp')
  await expect(ports.getByRole('row', { name: /SSH/ })).toContainText('every host (5)')
})

test('a bundle says who signed it, whether it has an SBOM, and what is inside', async ({ page, world }) => {
  await signIn(page, world)
  addBundle(world)
  await page.goto(`${world.url}/bundles/demo.bundle`)
  const facts = page.locator('.facts')
  await expect(facts).toContainText('8817fb86d50199a4a37a0d9124c1dc5d74204241217460669754758599ee0169')
  await expect(facts).toContainText('2 image, 2 binary, 1 chart, 1 sbom')
  await expect(facts).toContainText('1 inside')
  const rows = page.locator('.contents-row')
  await expect(rows).toHaveCount(6)
  await page.getByLabel('Kind').selectOption('binary')
  await expect(rows).toHaveCount(2)
  await page.getByRole('searchbox').fill('kubelet')
  await expect(rows).toHaveText(/slipway\.local\/binaries\/kubelet/)
})

test('components are parts of the platform and charts of the bundles; what is chosen is in the draft', async ({ page, world }) => {
  await signIn(page, world)
  addBundle(world)
  addDraft(world, demoSpec('demo', { components: [{ name: 'site', manifests: ['site.yaml'], namespace: 'web' }] }))
  await page.goto(`${world.url}/drafts/demo/components`)
  const own = page.getByRole('region', { name: 'Parts of the platform' })
  await expect(own).toContainText('Network plugin, kube-proxy, DNS and metrics come with every cluster')
  await expect(own.getByLabel('Backups of etcd')).toBeChecked()
  await own.getByLabel('DNS cache on every node').check()
  const chosen = page.locator('.component')
  await expect(chosen).toHaveText(/site.*from manifests/)
  await expect(chosen.getByLabel('namespace')).toHaveValue('web')
  await page.getByRole('button', { name: 'Add a component' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'hello 1.2.0' }).click()
  await expect(chosen).toHaveText([/site/, /hello.*hello 1\.2\.0/])
  await page.getByRole('button', { name: 'Remove site' }).click()
  await expect(chosen).toHaveCount(1)
  await expect.poll(() => world.mock!.world.specs.get('demo')!.spec.spec).toMatchObject({
    components: [{ name: 'hello', chart: 'hello', version: '1.2.0' }],
    kubernetes: { dns: { nodeLocal: true } },
  })
})

test('the command that does the same can be copied', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, world)
  addDraft(world)
  await page.goto(`${world.url}/drafts/demo/review`)
  await page.locator('.command').getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('slipway apply -c specs/demo.yaml')
})

test.describe('a run that goes on', () => {
  test.use({ options: { speed: 2, slow: ['cp1/set-sysctls'], stretch: 1, faults: [{ node: 'w2/set-sysctls' }] } })
  test('says how long it will take, searches its log, gives a support bundle and skips what may be skipped', async ({ page, world }) => {
    await signIn(page, world)
    addRun(world)
    await page.goto(`${world.url}/clusters/demo/runs/1`)
    await expect(page.locator('.run-head')).toContainText(/\d.* to .*\d.* left/)
    const failure = page.getByRole('region', { name: 'Something failed' })
    const download = page.waitForEvent('download')
    await failure.getByRole('link', { name: 'Support bundle' }).click()
    expect((await download).suggestedFilename()).toBe('support.tar.gz')

    await page.getByRole('tab', { name: 'Logs' }).click()
    const log = page.getByRole('log', { name: 'Logs' })
    await page.getByLabel('Search the log').fill('CANNOT WRITE')
    await expect(page.getByText('1 lines')).toBeVisible()
    await expect(log.locator('.line')).toHaveText(/w2\/set-sysctls.*Read-only file system/)
    await page.getByLabel('Search the log').fill('no such words')
    await expect(page.getByText('No line holds this.')).toBeVisible()
    await page.getByLabel('Search the log').fill('')
    const atEnd = () => log.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 40)
    await expect.poll(atEnd).toBe(true)
    await page.getByRole('checkbox', { name: 'Follow' }).uncheck()
    await log.evaluate((list) => (list.scrollTop = 0))
    await expect.poll(atEnd).toBe(false)

    await failure.getByRole('button', { name: 'Skip' }).click()
    await expect(failure).toHaveCount(0)
    expect(JSON.stringify(world.mock!.world.clusters.get('demo')!.runs[0]!.events.filter(({ type }) => type === 'step.finished'))).toMatch(/"w2","step":"set-sysctls"[^}]*"skipped"/)
  })
})

test.describe('a run that is over', () => {
  test.use({ options: { speed: 20, faults: [{ node: 'w2/set-sysctls' }] } })
  test('has every step on its timeline, where and as long as it ran', async ({ page, world }) => {
    await signIn(page, world)
    addRun(world)
    await ended(world)
    const show = JSON.parse((await call(page, world, 'GET', '/clusters/demo/runs/1')).text) as RunShow
    await page.goto(`${world.url}/clusters/demo/runs/1?view=timeline`)
    const list = page.getByRole('list', { name: 'Timeline' })
    await expect(list.locator('.gantt-bar').first()).toBeVisible()

    const rows = (await rowsOf(list, ['.gantt-name', '.gantt-bar title', '.gantt-took'])).filter(({ parts }) => parts[0])
    const ran = show.steps.map(({ host, step, outcome, seconds }) => [step, `${host ? `${host}/` : ''}${step}: ${outcome}, ${duration(seconds)}`, duration(seconds)])
    const byName = (a: string[], b: string[]) => a[1]!.localeCompare(b[1]!)
    expect(rows.map(({ parts: [step, words, took] }) => [step!, words!.replace(/, [^,]* after the start$/, ''), took!]).sort(byName)).toEqual(ran.sort(byName))

    await list.evaluate((scroller) => (scroller.scrollTop = 0))
    await expect(list.locator('.visx-axis-top text').first()).toHaveText('0 s')
    const bars = await list.locator('.gantt-bar').evaluateAll((all) =>
      all.map((bar) => ({ node: bar.querySelector('title')!.textContent!.split(':')[0]!, from: bar.querySelector('rect')!.x.baseVal.value / bar.closest('svg')!.width.baseVal.value })),
    )
    const total = Math.max(...show.steps.map(({ finished }) => finished))
    for (const { node, from } of bars) {
      const step = show.steps.find((each) => (each.host ? `${each.host}/${each.step}` : each.step) === node)!
      expect(from, node).toBeCloseTo(step.started / total, 1)
    }
    await page.getByRole('button', { name: /^cp1\/set-sysctls: changed/ }).press('Enter')
    await expect(page.getByRole('complementary')).toContainText('cp1/set-sysctls')
  })
})

test.describe('a thousand hosts at work', () => {
  test.use({ options: { speed: 1, stretch: 600 } })
  test('have a timeline of which only what can be seen is drawn', async ({ page, world }) => {
    await signIn(page, world)
    const { hosts } = demoSpec().spec
    const many = Array.from({ length: 1000 }, (_, i) => ({ name: `n${i}`, address: `10.1.${i >> 8}.${i & 255}`, roles: ['worker'] }))
    addRun(world, demoSpec('demo', { hosts: [...hosts, ...many] }))
    await page.goto(`${world.url}/clusters/demo/runs/1?view=timeline`)
    const list = page.getByRole('list', { name: 'Timeline' })
    await expect.poll(() => list.evaluate((scroller) => scroller.scrollHeight)).toBeGreaterThan(100_000)
    await list.evaluate((scroller) => (scroller.scrollTop = 60_000))
    await expect(list.locator('.gantt-bar').first()).toBeVisible()
    expect(await list.locator('.gantt-bar').count()).toBeLessThan(80)
  })
})

test.describe('a cluster that stands', () => {
  test.use({ options: { speed: 200 } })
  test('says where it is, what to do next, what its nodes and certificates are, and its history', async ({ page, world }) => {
    await signIn(page, world)
    addRun(world, demoSpec('demo', { bundles: ['bundles/demo.bundle'] }))
    await ended(world)
    await page.goto(`${world.url}/clusters/demo/runs/1`)
    const done = page.locator('section').filter({ has: page.getByRole('heading', { name: 'The cluster stands' }) })
    await expect(done).toContainText('https://10.0.0.11:6443')
    for (const next of ['slipway kubeconfig demo > demo.kubeconfig', 'kubectl --kubeconfig demo.kubeconfig get nodes -o wide', 'slipway status demo']) await expect(done.getByText(next, { exact: true })).toBeVisible()
    await expect(done.getByRole('button', { name: 'Download the CA certificate' })).toBeEnabled()
    await done.getByRole('link', { name: 'To the cluster' }).click()
    await expect(page.getByRole('group', { name: 'Nodes' }).getByRole('row')).toHaveCount(6)
    await expect(page.getByRole('group', { name: 'Certificates' }).getByRole('row', { name: /API server cp2/ })).toContainText('21 days')
    const history = page.getByRole('region', { name: 'Runs' })
    await expect(history.getByRole('row', { name: /apply/ })).toContainText('succeeded')
    await expect(history.getByRole('img')).toHaveCount(0)
    addRun(world)
    await ended(world)
    await page.reload()
    await expect(history.getByRole('img', { name: /^How long the last 2 runs took: 1 apply: succeeded, .*; 2 apply: succeeded, / })).toBeVisible()
    await expect(history.locator('.runs-bar')).toHaveCount(2)
    await history.getByRole('link', { name: '1' }).click()
    await expect(page).toHaveURL(/\/clusters\/demo\/runs\/1/)
  })
})
