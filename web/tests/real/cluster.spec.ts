// The way of an operator with one machine: real logins, a check that really fails, and a cluster in the end.
import { addHosts, expect, head, look, stage, test, unlock } from './stage'

const machine = process.env.SLIPWAY_MACHINE ?? ''
const secret = process.env.SLIPWAY_MACHINE_PASSWORD ?? ''
const fingerprint = process.env.SLIPWAY_MACHINE_KEY ?? ''
const folder = process.env.SLIPWAY_STAGE_FOLDER ?? ''

test('from the code to a cluster', async ({ page, server }) => {
  test.setTimeout(480_000)
  await test.step('unlock', async () => {
    await page.goto(server.url)
    await expect(page.locator('.facts dd')).toHaveText(/([0-9A-F]{2}:){31}/)
    await look(page, 'unlock')
    await unlock(page, server)
    await look(page, 'start-empty')
    await page.getByLabel('Name of the cluster').fill('lab')
    await page.getByRole('button', { name: 'Create' }).click()
  })

  await test.step('a host, its login and its key', async () => {
    await addHosts(page, `node1 ops@${machine} control-plane,worker`)
    await page.getByRole('button', { name: 'node1: Login' }).click()
    await page.getByLabel('How to log in').selectOption('password')
    await page.getByLabel('Password', { exact: true }).fill(secret)
    await page.getByLabel('Password of sudo').fill(secret)
    await look(page, 'hosts-login')
    await page.getByRole('button', { name: 'Keep' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.getByRole('button', { name: 'Confirm 1 key' }).click()
    await expect(page.getByRole('dialog')).toContainText(fingerprint)
    await look(page, 'hosts-trust')
    await stage('take-port')
    await page.getByRole('button', { name: 'Accept 1 key' }).click()
  })

  await test.step('a check fails, is repaired on the machine, and passes', async () => {
    await expect(page.locator('.verdict')).toContainText('failed')
    await page.getByRole('button', { name: 'node1: details' }).click()
    const finding = page.locator('.finding').filter({ hasText: 'NET-PORT-API' })
    await expect(finding).toContainText('6443')
    await expect(finding).toContainText('Remedy')
    await look(page, 'hosts')
    await stage('free-port')
    await page.getByRole('button', { name: 'Check hosts' }).click()
    await expect(finding).toHaveCount(0)
    await expect(page.locator('.verdict')).toContainText(/ready|warnings/)
  })

  await test.step('network, components, bundle, options', async () => {
    for (const [part, picture] of [['Network', 'network'], ['Components', 'components'], ['More settings', 'options']] as const) {
      await page.getByRole('link', { name: part, exact: true }).click()
      await expect(page.getByRole('status').filter({ hasText: 'Saved on the server' })).toBeVisible()
      await look(page, picture)
    }
    await stage('give-bundle', { name: server.name })
    await page.getByRole('link', { name: 'Bundle', exact: true }).click()
    await page.getByRole('button', { name: 'Use', exact: true }).click()
    await expect(page.getByRole('button', { name: 'In use' })).toBeVisible()
    await look(page, 'bundle')
    await page.getByRole('link', { name: 'lab.bundle' }).click()
    await page.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByText('intact')).toBeVisible({ timeout: 60_000 })
    await look(page, 'bundle-contents')
    await page.getByRole('link', { name: 'Bundles' }).first().click()
    await look(page, 'bundles')
  })

  await test.step('review and apply', async () => {
    await page.goto(`${server.url}/drafts/lab/review`)
    await page.getByRole('button', { name: 'Make a plan' }).click()
    await expect(page.locator('.plan').first()).toContainText('install-kubernetes', { timeout: 60_000 })
    await look(page, 'review')
    await page.getByRole('button', { name: 'Apply…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await expect(page).toHaveURL(/\/clusters\/lab\/runs\/1/, { timeout: 60_000 })
  })

  await test.step('the run, as it happens', async () => {
    await expect(page.getByRole('button', { name: /^node1, Start:/ })).toBeVisible({ timeout: 60_000 })
    await look(page, 'run')
    await page.getByRole('link', { name: 'Slipway' }).click()
    await expect(page.getByRole('link', { name: 'Watch' })).toBeVisible()
    await look(page, 'start')
    await page.goto(server.url)
    await expect(page).toHaveURL(/\/clusters\/lab\/runs\/1/)
    await expect(head(page)).toContainText('succeeded', { timeout: 180_000 })
    for (const view of ['Timeline', 'Events', 'Logs']) {
      await page.getByRole('tab', { name: view }).click()
      await look(page, `run-${view.toLowerCase()}`)
    }
    await page.getByRole('tab', { name: 'Hosts' }).click()
  })

  await test.step('the cluster stands', async () => {
    await expect(page.getByRole('heading', { name: 'The cluster stands' })).toBeVisible()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download kubeconfig' }).click()
    await (await download).saveAs(`${folder}/lab.kubeconfig`)
    await look(page, 'run-done')
    await page.getByRole('link', { name: 'To the cluster' }).click()
    await expect(page.getByRole('row', { name: /node1.*ready/ })).toBeVisible()
    await look(page, 'cluster')
    await page.getByRole('link', { name: 'Settings' }).click()
    await expect(page.getByText('POST /api/v1/specs/lab/apply')).toBeVisible()
    await look(page, 'settings')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await look(page, 'sign-in')
  })
})
