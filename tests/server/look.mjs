// Opens pages of a server in Chromium and says, for each, whether a script of strangers ran and whether their text is shown.
//
//   {"url", "password", "paths": [], "text"}  →  {PATH: {executed, elements, shown}}
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('@playwright/test')
const { url, password, paths, text } = JSON.parse(readFileSync(0, 'utf8'))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
})
const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 720 }, locale: 'en-GB' })
const answer = await context.request.post(`${url}/api/v1/session`, { data: { password }, headers: { Origin: url } })
if (answer.status() !== 201) throw new Error(await answer.text())
const page = await context.newPage()
const seen = {}
for (const path of paths) {
  await page.goto(`${url}${path}`)
  await page.waitForSelector('.page')
  // What is shown there comes from the server: wait until it stays as it is.
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
  const isShown = ([wanted]) => document.body.innerText.includes(wanted) || [...document.querySelectorAll('input, textarea')].some((field) => field.value.includes(wanted))
  await page.waitForFunction(isShown, [text], { timeout: 1_000 }).catch(() => {})
  seen[path] = {
    executed: await page.evaluate(() => window.executed !== undefined),
    elements: await page.locator('img[src="x"], [onerror]').count(),
    shown: await page.evaluate(isShown, [text]),
  }
}
console.log(JSON.stringify(seen))
await browser.close()
