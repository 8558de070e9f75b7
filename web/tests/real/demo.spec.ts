// What `make demo` leaves behind, opened with the address and the code it printed.
import { expect, expectAsInJournal, head, test, unlock, type Server } from './stage'

const cluster = process.env.SLIPWAY_DEMO_CLUSTER ?? ''
// The folder of the demo is where the stage looks for a state folder of that name.
const server: Server = { name: '.demo', url: process.env.SLIPWAY_DEMO_URL ?? '', code: process.env.SLIPWAY_DEMO_CODE ?? '' }

test('the run that just happened', async ({ page }) => {
  await unlock(page, server)
  await page.getByRole('link', { name: 'apply 1' }).click()
  await expect(page).toHaveURL(`${server.url}/clusters/${cluster}/runs/1`)
  await expect(head(page)).toContainText('succeeded')
  for (const node of ['node1', 'node2', 'node3']) await expect(page.getByRole('button', { name: new RegExp(`^${node}, Start:`) })).toBeVisible()
  await expectAsInJournal(page, server, cluster)
  await page.goto(`${server.url}/clusters/${cluster}`)
  for (const node of ['node1', 'node2', 'node3']) await expect(page.getByRole('row', { name: new RegExp(`${node}.*ready`) }).first()).toBeVisible()
})
