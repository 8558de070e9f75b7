// The page in Chromium, over a server that runs: what to do comes as JSON on standard input, what was seen goes to standard output.
//
//   {"url", "password", "what": "first", "rounds": 5}      how long until there is something to see, cache cold: ms
//   {"url", "password", "what": "events", "cluster": "x"}  from each event's time to the page that shows it, until the run's end: ms
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { chromium } = createRequire(new URL('../web/package.json', import.meta.url))('@playwright/test')
const order = JSON.parse(readFileSync(0, 'utf8'))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
})

async function fresh(signedIn) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 720 }, locale: 'en-GB' })
  if (signedIn) {
    const answer = await context.request.post(`${order.url}/api/v1/session`, { data: { password: order.password }, headers: { Origin: order.url } })
    if (answer.status() !== 201) throw new Error(await answer.text())
  }
  return { context, page: await context.newPage() }
}

// In the page: the time since the navigation began at which the first frame with `selector` was drawn.
function noteWhenShown(selector) {
  const look = () => {
    if (!document.querySelector(selector)) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => (window.shownAt = performance.now())))
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true })
}

async function firstScreen(signedIn, selector) {
  const { context, page } = await fresh(signedIn)
  await page.addInitScript(noteWhenShown, selector)
  await page.goto(`${order.url}/`)
  const handle = await page.waitForFunction(() => window.shownAt)
  const ms = await handle.jsonValue()
  await context.close()
  return ms
}

async function firstScreens() {
  await firstScreen(false, 'form input') // the browser's own beginning
  const seen = { signIn: [], start: [] }
  for (let round = 0; round < order.rounds; round++) {
    seen.signIn.push(await firstScreen(false, 'form input[type=password]'))
    seen.start.push(await firstScreen(true, '.page table, .page .columns'))
  }
  return seen
}

// In the page: reads along with it. An event is shown with the first frame after the page changed what it shows.
function noteEvents() {
  window.noted = { arrived: [], shown: [], over: false }
  let waiting = []
  const observer = new MutationObserver(() => {
    if (waiting.length === 0) return
    const taken = waiting
    waiting = []
    requestAnimationFrame(() => setTimeout(() => window.noted.shown.push(...taken.map((time) => Date.now() - time))))
  })
  observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true })
  const readAlong = async (body) => {
    let rest = ''
    const opened = Date.now() // what happened before is history, however quickly it comes
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const messages = (rest + part.value).split('\n\n')
      rest = messages.pop()
      for (const message of messages) {
        if (message.includes('event: end')) window.noted.over = true
        const data = /^data: (\{.*"time".*)$/m.exec(message)
        if (!data) continue
        const time = Date.parse(JSON.parse(data[1]).time)
        if (time < opened) continue
        window.noted.arrived.push(Date.now() - time)
        waiting.push(time)
      }
    }
  }
  const ask = window.fetch
  window.fetch = async (...words) => {
    const answer = await ask(...words)
    if (!answer.headers.get('Content-Type')?.startsWith('text/event-stream')) return answer
    const [mine, its] = answer.body.tee()
    void readAlong(mine)
    return new Response(its, { status: answer.status, headers: answer.headers })
  }
}

async function events() {
  const { page } = await fresh(true)
  await page.addInitScript(noteEvents)
  await page.goto(`${order.url}/clusters/${order.cluster}/runs/1`)
  await page.waitForFunction(() => window.noted.over, undefined, { timeout: 240_000, polling: 500 })
  return await page.evaluate(() => window.noted)
}

const seen = order.what === 'first' ? await firstScreens() : await events()
console.log(JSON.stringify(seen))
await browser.close()
