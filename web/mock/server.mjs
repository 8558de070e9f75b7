// The server of docs/api.md, in memory, for developing and testing the page without machines.
//
//     node mock/server.mjs [--port 5180] [--dist dist] [--speed 1]
//
// The unlock code is `slip-way1`. Journeys start one of their own with createMock().
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Problem, Router, readBody } from './http.mjs'
import { routes } from './routes.mjs'

export const kCode = 'slip-way1'
export const kPassword = 'correct horse battery'

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const csp = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

function serveFile(response, dist, path) {
  const wanted = join(dist, normalize(path))
  const file = wanted.startsWith(dist) && extname(wanted) && existsSync(wanted) ? wanted : join(dist, 'index.html')
  response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': csp, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
  response.end(readFileSync(file))
}

function newWorld(options) {
  return {
    options: { speed: 1, faults: [], slow: [], delay: 120, ...options },
    password: options.password, // undefined: locked
    sessions: new Map(),
    tokens: [],
    audit: [],
    specs: new Map(),
    secrets: new Map(),
    jobs: new Map(),
    clusters: new Map(),
    bundles: new Map(),
    trusted: new Set(),
    answers: new Map(),
    now: () => Date.now(),
  }
}

function audit(world, request, session, status) {
  if (request.method === 'GET') return
  const last = world.audit.at(-1)?.hash ?? ''
  const row = { seq: world.audit.length + 1, time: new Date().toISOString(), who: session ? 'admin' : '-', role: session?.role ?? '-', from: '127.0.0.1', method: request.method, path: request.url, status }
  world.audit.push({ ...row, hash: createHash('sha256').update(last + JSON.stringify(row)).digest('hex') })
}

function sessionOf(world, request) {
  const id = /slipway_session=([0-9a-f]+)/.exec(request.headers.cookie ?? '')?.[1]
  return id ? world.sessions.get(id) : undefined
}

export function openSession(world) {
  const id = randomBytes(16).toString('hex')
  const session = { id, role: 'admin', csrf: randomBytes(8).toString('hex'), expires: new Date(Date.now() + 8 * 3600e3).toISOString() }
  world.sessions.set(id, session)
  return session
}

const ranks = ['-', 'viewer', 'operator', 'admin']

function admit(route, request, session) {
  if (ranks.indexOf(route.role) > 0 && !session) throw new Problem(401, 'AUTH-NEEDED', 'nobody is signed in', { remedy: 'sign in' })
  if (ranks.indexOf(session?.role ?? '-') < ranks.indexOf(route.role)) throw new Problem(403, 'AUTH-ROLE', `this needs the role ${route.role}`)
  const writes = !['GET', 'HEAD'].includes(request.method)
  if (writes && session && route.role !== '-' && request.headers['x-slipway-csrf'] !== session.csrf) throw new Problem(403, 'AUTH-CSRF', 'the request does not come from this page', { remedy: 'reload the page' })
}

async function answerOnce(world, key, text, work) {
  const kept = key ? world.answers.get(key) : undefined
  if (kept && kept.text !== text) throw new Problem(422, 'API-KEY-REUSED', 'this Idempotency-Key was used with another body')
  const answer = kept?.answer ?? (await work())
  if (key) world.answers.set(key, { text, answer })
  return answer
}

export function createMock(options = {}) {
  const world = newWorld(options)
  const router = new Router(routes)
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://x')
    if (!url.pathname.startsWith('/api/')) {
      if (url.pathname === '/healthz') return void response.end('{"status":"ok"}')
      return options.dist ? serveFile(response, options.dist, decodeURIComponent(url.pathname)) : void response.writeHead(404).end()
    }
    const session = sessionOf(world, request)
    try {
      const { route, parameters } = router.find(request.method, url.pathname)
      admit(route, request, session)
      const body = await readBody(request)
      const call = { world, request, response, url, parameters, session, body, query: url.searchParams }
      const answer = await answerOnce(world, request.headers['idempotency-key'], body.text, () => route.run(call))
      audit(world, request, session, answer?.status ?? 200)
      if (answer === undefined) return // it answers by itself
      const { status = 200, headers = {}, json, text } = answer
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(text ?? (json === undefined ? '' : JSON.stringify(json)))
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem(500, 'INTERNAL', String(error?.stack ?? error))
      audit(world, request, session, problem.status)
      response.writeHead(problem.status, { 'Content-Type': 'application/problem+json', ...problem.headers })
      response.end(JSON.stringify(problem.body()))
    }
  })
  return {
    world,
    server,
    listen: (port = 0) => new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`))),
    close: () => {
      for (const cluster of world.clusters.values()) for (const run of cluster.runs) clearInterval(run.timer)
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function argument(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : process.argv[at + 1]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const dist = argument('dist')
  const mock = createMock({ dist: dist && normalize(join(process.cwd(), dist)), speed: Number(argument('speed', '1')), faults: [{ node: 'w2/set-sysctls' }], slow: ['cp1/pull-images'], withCluster: true })
  console.log(`${await mock.listen(Number(argument('port', '5180')))}  unlock code: ${kCode}`)
}
