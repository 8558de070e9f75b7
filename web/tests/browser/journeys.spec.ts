// What people do, from the first visit to a cluster that stands.
import type { Page } from '@playwright/test'
import { addRun, call, code, demoSpec, ended, expect, password, putDraft, real, signIn, test } from './world'

const onlyMock = () => test.skip(Boolean(real), 'needs a mock')

async function addHosts(page: Page, list: string) {
  await page.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByLabel('List of hosts').fill(list)
  await page.getByRole('button', { name: /^Add \d+ hosts$/ }).click()
}

test.describe('a new server', () => {
  test.use({ options: { password: undefined } })
  test('is unlocked with the code of its console, by keyboard alone', async ({ page, world }) => {
    await page.goto(world.url)
    await expect(page.locator('.facts dd')).toHaveText(/([0-9A-F]{2}:){31}/)
    await page.getByLabel('Code from the console').focus()
    if (!real) {
      await page.keyboard.type('wrong')
      await page.keyboard.press('Tab')
      await page.keyboard.type(password)
      await page.keyboard.press('Tab')
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('alert')).toContainText('not the code')
      await page.getByLabel('Code from the console').fill('')
    }
    await page.getByLabel('Code from the console').focus()
    await page.keyboard.type(code)
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'New cluster' })).toBeVisible()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Drafts' })).toBeVisible()
  })
})

// The same on a mock and on a real server: there, on simulated hosts.
test('from a name to a finished run', async ({ page, world }) => {
  test.setTimeout(120_000)
  await signIn(page, world)
  await page.goto(world.url)
  const name = real ? `journey-${Date.now()}` : 'demo'
  await page.getByLabel('Name of the cluster').fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await addHosts(page, 'cp[1-3] 10.0.0.[11-13] control-plane,etcd\nw[1-2] 10.0.0.[21-22] worker')
  await expect(page.getByRole('status').filter({ hasText: 'Saved on the server' })).toBeVisible()
  await expect(page.getByText('5 hosts')).toBeVisible()
  if (!real) {
    await page.getByRole('button', { name: 'Confirm 5 keys' }).click()
    await page.getByRole('button', { name: 'Accept 5 keys' }).click()
    await expect(page.locator('.verdict').filter({ hasText: 'ready' })).toHaveCount(3)
    await expect(page.locator('.verdict').filter({ hasText: 'warnings' })).toHaveCount(2)
  }
  await page.getByRole('link', { name: 'Review' }).click()
  await page.getByLabel(/On simulated hosts/).check()
  await page.getByRole('button', { name: 'Make a plan' }).click()
  await expect(page.locator('.plan').first()).toContainText('set-sysctls')
  await page.getByRole('button', { name: 'Apply…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/\/clusters\/.*\/runs\/1/)
  await expect(page.locator('.run-head')).toContainText('succeeded', { timeout: 90_000 })
  await expect(page.getByRole('button', { name: /^w2, Prepare: changed/ })).toBeVisible()
})

test('a problem is shown at its field, in the words of the server', async ({ page, world }) => {
  await signIn(page, world)
  await page.goto(world.url)
  const name = `fields-${Date.now()}`
  await page.getByLabel('Name of the cluster').fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await addHosts(page, 'cp1 10.0.0.11 control-plane')
  await page.getByLabel('cp1: Address').fill('300.1.1.1')
  await expect(page.getByLabel('cp1: Address')).toHaveAttribute('aria-invalid', 'true')
  await page.getByRole('button', { name: 'cp1: details' }).click()
  await expect(page.getByText(/is neither an IP address nor a host name/)).toBeVisible()
  await page.getByLabel('cp1: Address').fill('10.0.0.11')
  await expect(page.getByLabel('cp1: Address')).not.toHaveAttribute('aria-invalid')
  await page.getByRole('link', { name: 'Network' }).click()
  await page.getByLabel('Pod networks').fill('10.0.0.0/8')
  await expect(page.getByText('10.0.0.0/8 overlaps 10.96.0.0/16')).toBeVisible()
  await expect(page.getByText('10.0.0.0/8 overlaps the service network 10.96.0.0/16')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Pod networks')).toHaveValue('10.0.0.0/8')
})

test.describe('a run in which a host fails', () => {
  test.use({ options: { speed: 30, faults: [{ node: 'w2/set-sysctls', retries: 1 }], cutEvery: 60 } })
  test('says what, where, why and what to do, and goes on after a retry; its stream is cut all the time', async ({ page, world }) => {
    onlyMock()
    await signIn(page, world)
    addRun(world)
    await page.goto(`${world.url}/clusters/demo/runs/1`)
    const failure = page.getByRole('region', { name: 'Something failed' })
    await expect(failure).toContainText('read-only file system')
    await expect(failure).toContainText('mount -o remount,rw /')
    await expect(failure.getByRole('log')).toContainText('<b>0 of 1</b>')
    await expect(failure.getByRole('log').locator('b')).toHaveCount(0)
    await expect(page.locator('.run-head')).toContainText('partial')
    await failure.getByRole('button', { name: 'Retry' }).click()
    await expect(page.locator('.run-head')).toContainText('succeeded')
    await expect(failure).toHaveCount(0)
    const said = world.mock!.world.clusters.get('demo')!.runs[0]!.events.filter((event) => !['progress', 'log.line'].includes(event.type)).length
    await page.getByRole('tab', { name: 'Events' }).click()
    await expect(page.getByText(`${said} events`)).toBeVisible()
  })
})

test.describe('a run that takes a while', () => {
  test.use({ options: { speed: 1, slow: ['cp1/set-sysctls'], stretch: 1.5 } })
  test('is where a reload lands; it can be paused, looked into and cancelled', async ({ page, world }) => {
    await signIn(page, world)
    const name = real ? `live-${Date.now()}` : 'demo'
    if (real) {
      await putDraft(page, world, demoSpec(name))
      const started = await call(page, world, 'POST', `/specs/${name}/apply`, { simulate: 'demo' })
      expect(started.status, started.text).toBe(202)
    } else addRun(world)
    await page.goto(world.url)
    await expect(page).toHaveURL(new RegExp(`/clusters/${name}/runs/1`))
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect(page.locator('.run-head')).toContainText('paused')
    await page.getByRole('button', { name: 'Continue' }).click()
    if (!real) await expect(page.getByText('1 steps take longer than expected')).toBeVisible()
    const cell = page.getByRole('button', { name: /^cp1, Prepare:/ })
    await cell.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('complementary')).toContainText('cp1/')
    await expect(page).toHaveURL(/node=cp1/)
    await page.reload()
    await expect(page.getByRole('complementary')).toContainText('cp1/')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await expect(page.getByRole('button', { name: /^cp1\/[a-z-]+: running/ }).first()).toBeVisible()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await expect(page.locator('.run-head')).toContainText('cancelled')
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()
    if (real) await expect(page.locator('.run-head')).toContainText('succeeded', { timeout: 40_000 })
  })
})

test.describe('a finished cluster', () => {
  test.use({ options: { speed: 200 } })
  test('gives out its kubeconfig and is reset only by name', async ({ page, world }) => {
    onlyMock()
    await signIn(page, world)
    addRun(world)
    await ended(world)
    await page.goto(`${world.url}/clusters/demo/runs/1`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download kubeconfig' }).click()
    expect((await download).suggestedFilename()).toBe('demo.kubeconfig')
    await page.getByRole('link', { name: 'To the cluster' }).click()
    await expect(page.getByText('21 days')).toBeVisible()
    await page.getByRole('button', { name: 'Reset…' }).click()
    const yes = page.getByRole('button', { name: 'Reset the cluster' })
    await page.getByLabel('Type demo to confirm').fill('dem')
    await expect(yes).toBeDisabled()
    await page.getByLabel('Type demo to confirm').fill('demo')
    await yes.click()
    await expect(page).toHaveURL(/runs\/2/)
    await expect(page.locator('.run-head')).toContainText('succeeded')
  })
})

test('a draft that somebody else changed is loaded again, and what was lost is named', async ({ page, world }) => {
  await signIn(page, world)
  const name = `both-${Date.now()}`
  await putDraft(page, world, demoSpec(name))
  await page.goto(`${world.url}/drafts/${name}/network`)
  await expect(page.getByLabel('Pods a node takes')).toBeVisible()
  await putDraft(page, world, demoSpec(name, { limits: { retries: 9 } }))
  await page.getByLabel('Pods a node takes').fill('99')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('kubernetes.maxPods')
  await expect(dialog).toContainText('limits.retries')
  await dialog.getByRole('button', { name: 'Show the draft' }).click()
  await page.getByLabel('Pods a node takes').fill('99')
  await expect.poll(async () => (await call(page, world, 'GET', `/specs/${name}`)).text).toMatch(/maxPods: 99/)
  expect((await call(page, world, 'GET', `/specs/${name}`)).text).toMatch(/retries: 9/)
})

test('a thousand hosts stay fluent', async ({ page, world }) => {
  onlyMock()
  await signIn(page, world)
  const { keepDraft } = await import('../../mock/routes.mjs')
  keepDraft(world.mock!.world, 'big', { spec: { ...demoSpec('big'), spec: { hosts: [] } } })
  await page.goto(`${world.url}/drafts/big/hosts`)
  await addHosts(page, 'cp1 10.9.0.1 control-plane\nw[1-1000] 10.0.[0-3].[1-250] worker')
  await expect(page.getByText('1001 hosts')).toBeVisible()
  expect(await page.locator('.host-row').count()).toBeLessThan(70)
  // addresses that end in .99 do not answer in the mock
  await expect(page.getByRole('button', { name: 'Confirm 997 keys' })).toBeVisible({ timeout: 30_000 })
  const field = page.getByLabel('w5: Name')
  await field.focus()
  const took = await field.evaluate(async (input: HTMLInputElement) => {
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!
    const began = performance.now()
    for (let i = 0; i < 10; ++i) {
      setter.call(input, `w5${'x'.repeat(i)}`)
      input.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise(requestAnimationFrame)
    }
    return (performance.now() - began) / 10
  })
  expect(took).toBeLessThan(250)
  await page.getByLabel('Select all').check()
  await page.getByLabel('Give role…').selectOption('registry')
  await expect.poll(() => JSON.stringify(world.mock!.world.specs.get('big')!.spec).match(/registry/g)?.length).toBe(1001)
})

test('a bundle goes on where its upload was cut', async ({ page, world }) => {
  onlyMock()
  await signIn(page, world)
  world.mock!.world.options.cutUpload = true
  await page.goto(`${world.url}/bundles`)
  await page.getByLabel('Upload a bundle').setInputFiles({ name: 'big.bundle', mimeType: 'application/octet-stream', buffer: Buffer.alloc(18 * 1024 * 1024, 7) })
  await expect(page.getByRole('button', { name: 'Go on' })).toBeVisible()
  expect(world.mock!.world.bundles.get('big.bundle')?.received).toBe(8 * 1024 * 1024)
  world.mock!.world.options.cutUpload = false
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByRole('row', { name: /big.bundle/ })).toContainText('whole')
  expect(world.mock!.world.bundles.get('big.bundle')?.received).toBe(18 * 1024 * 1024)
  await page.getByRole('link', { name: 'big.bundle' }).click()
  await expect(page.getByText('1 inside')).toBeVisible()
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('intact')).toBeVisible()
})

test('a tke.json becomes a draft, and says what was left out', async ({ page, world }) => {
  onlyMock()
  await signIn(page, world)
  await page.goto(world.url)
  await page.getByRole('button', { name: /Import tke.json/ }).click()
  await page.getByLabel('Content of the file').fill('{"cluster": {}}')
  await page.getByRole('button', { name: 'Convert' }).click()
  await expect(page.getByText('config.gateway.domain')).toBeVisible()
  await page.getByRole('button', { name: 'Keep as a draft' }).click()
  await expect(page).toHaveURL(/drafts\/imported\/hosts/)
})

test('secrets go to the server and are not shown again', async ({ page, world }) => {
  await signIn(page, world)
  const name = `secrets-${Date.now()}`
  await putDraft(page, world, demoSpec(name))
  await page.goto(`${world.url}/drafts/${name}/hosts`)
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: 'Set login…' }).click()
  await page.getByLabel('How to log in').selectOption('password')
  await page.getByLabel('Password', { exact: true }).fill('hunter-two')
  await page.getByRole('button', { name: 'Keep' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'w1: Login' })).toHaveText('password, kept here')
  const kept = JSON.parse((await call(page, world, 'GET', `/specs/${name}/secrets`)).text) as { items: unknown[] }
  expect(kept.items).toEqual(['cp1', 'cp2', 'cp3', 'w1', 'w2'].map((host) => ({ path: `hosts.${host}.password`, kept: true })))
  expect((await call(page, world, 'GET', `/specs/${name}`)).text).not.toContain('hunter-two')
})

test('tokens are shown once; everything is in the audit; the other language is there', async ({ page, world }) => {
  await signIn(page, world)
  await page.goto(`${world.url}/settings`)
  await page.getByLabel('Name', { exact: true }).fill('ci')
  await page.getByRole('button', { name: 'Make' }).click()
  const token = await page.locator('.banner code').innerText()
  expect(token.length).toBeGreaterThan(20)
  await page.reload()
  await expect(page.getByRole('row', { name: /ci viewer/ })).toBeVisible()
  await expect(page.getByText(token)).toHaveCount(0)
  await expect(page.getByText('POST /api/v1/tokens').first()).toBeVisible()
  await page.getByLabel('Language').selectOption('zh')
  await expect(page.getByRole('heading', { name: '审计' })).toBeVisible()
})

test('narrow windows need no sideways scrolling', async ({ page, world }) => {
  onlyMock()
  await page.setViewportSize({ width: 400, height: 720 })
  await signIn(page, world)
  addRun(world)
  for (const path of ['/clusters/demo/runs/1', '/drafts/demo/hosts', '/drafts/demo/network', '/drafts/demo/review', '/settings', '/bundles']) {
    await page.goto(world.url + path)
    await page.locator('h1').first().waitFor()
    await page.waitForTimeout(200)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(400)
  }
})

test('hooks, registries and taints are filled in as forms, and errors stand at their field', async ({ page, world }) => {
  await signIn(page, world)
  const name = `forms-${Date.now()}`
  await putDraft(page, world, demoSpec(name))
  await page.goto(`${world.url}/drafts/${name}/options`)
  await page.getByText('Own scripts before and after.').click()
  await page.getByRole('button', { name: 'Add to preInstall' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Not-A-Name')
  const hook = page.getByRole('group', { name: 'preInstall' })
  await expect(hook.getByRole('textbox', { name: 'name', exact: true })).toHaveAttribute('aria-invalid', 'true')
  await hook.getByRole('textbox', { name: 'name', exact: true }).fill('greet')
  await hook.getByLabel('script').fill('echo one\necho two')
  await expect(hook.getByRole('textbox', { name: 'name', exact: true })).not.toHaveAttribute('aria-invalid')
  await page.goto(`${world.url}/drafts/${name}/hosts`)
  await page.getByRole('button', { name: 'w1: more settings' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add to taints' }).click()
  await dialog.getByLabel('key', { exact: true }).fill('gpu')
  await dialog.getByLabel('effect').selectOption('NoSchedule')
  await dialog.getByRole('button', { name: 'Add to labels' }).click()
  await dialog.getByLabel('labels, key 1').fill('disk')
  await dialog.getByLabel('labels, value 1').fill('ssd')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Saved on the server' })).toBeVisible()
  const { text } = await call(page, world, 'GET', `/specs/${name}`)
  const spec = (JSON.parse(text) as { spec: { spec: { hosts: object[]; hooks: object } } }).spec.spec
  expect(spec.hooks).toEqual({ preInstall: [{ name: 'greet', script: 'echo one\necho two' }] })
  expect(spec.hosts[3]).toMatchObject({ name: 'w1', taints: [{ key: 'gpu', effect: 'NoSchedule' }], labels: { disk: 'ssd' } })
})
