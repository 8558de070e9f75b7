// The mock keeps the contract the page relies on: what it gets wrong, the page would learn wrong.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMock, kCode, kPassword, type Mock } from './server.mjs'

let mock: Mock
let url: string
let cookie = ''
let csrf = ''

beforeEach(async () => {
  mock = createMock({ speed: 500, delay: 5 })
  url = await mock.listen()
  cookie = csrf = ''
})
afterEach(() => mock.close())

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { Cookie: cookie, 'X-Slipway-Csrf': csrf, 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text.startsWith('{') ? (JSON.parse(text) as Record<string, never>) : {}, text }
}

async function unlock() {
  const answer = await call('POST', '/unlock', { code: kCode, password: kPassword })
  cookie = answer.headers.get('Set-Cookie')!.split(';')[0]!
  csrf = String(answer.json.csrf)
}

const spec = { apiVersion: 'slipway.dev/v1', kind: 'Cluster', metadata: { name: 'd' }, spec: { hosts: [{ name: 'cp1', address: '10.0.0.1', roles: ['control-plane'] }] } }

describe('sessions', () => {
  it('lock, unlock once, and want the CSRF token', async () => {
    expect((await call('GET', '/session')).json.state).toBe('locked')
    expect((await call('GET', '/specs')).status).toBe(401)
    await unlock()
    expect((await call('POST', '/unlock', { code: kCode, password: kPassword })).status).toBe(409)
    expect((await call('POST', '/validate', { spec }, { 'X-Slipway-Csrf': '' })).status).toBe(403)
    expect((await call('POST', '/validate', { spec })).json.valid).toBe(true)
  })
})

describe('drafts', () => {
  it('have versions', async () => {
    await unlock()
    expect((await call('PUT', '/specs/d', { spec })).status).toBe(428)
    const made = await call('PUT', '/specs/d', { spec }, { 'If-None-Match': '*' })
    expect(made.status).toBe(201)
    expect((await call('PUT', '/specs/d', { spec }, { 'If-Match': '"other"' })).status).toBe(412)
    expect((await call('PUT', '/specs/d', { yaml: made.json.yaml }, { 'If-Match': String(made.json.etag) })).status).toBe(200)
  })
})

describe('posts with a key', () => {
  it('are done once', async () => {
    await unlock()
    const again = () => call('POST', '/tokens', { name: 'a', role: 'viewer', days: 1 }, { 'Idempotency-Key': 'k' })
    expect((await again()).json.id).toBe((await again()).json.id)
    expect((await call('POST', '/tokens', { name: 'b', role: 'viewer', days: 1 }, { 'Idempotency-Key': 'k' })).status).toBe(422)
  })
})

describe('a run', () => {
  it('streams every event once, from where it is asked, and ends', async () => {
    await unlock()
    await call('PUT', '/specs/d', { spec }, { 'If-None-Match': '*' })
    expect((await call('POST', '/specs/d/apply', {})).json).toMatchObject({ id: 'SERVER-CHECKS-FAILED', status: 409 })
    expect((await call('POST', '/specs/d/apply', { simulate: true })).json).toEqual({ cluster: 'd', run: 1 })
    const stream = await call('GET', '/clusters/d/runs/1/events', undefined, { Accept: 'text/event-stream', 'Last-Event-ID': '2' })
    const ids = [...stream.text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
    expect(ids[0]).toBe(3)
    expect(ids).toEqual(ids.map((_, i) => i + 3))
    expect(stream.text).toContain('"type":"run.finished"')
    expect(stream.text.trimEnd().endsWith('event: end\ndata: {}')).toBe(true)
  })
})
