import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Draft, JsonObject } from '../../api/types'
import { DraftStore } from './use-draft'

// A server with one draft, as the contract has it: If-Match or 412.
function fakeServer(spec: JsonObject) {
  const server = { spec, version: 1, puts: [] as JsonObject[], broken: false }
  const answer = (): Draft => ({ name: 'd', yaml: '', spec: server.spec, problems: [], etag: `"${server.version}"`, updated: '', command: '' })
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    if (server.broken) return Response.json({ title: 'x', status: 500 }, { status: 500 })
    if (init.method !== 'PUT') return Response.json(answer())
    if (new Headers(init.headers).get('If-Match') !== `"${server.version}"`) return Response.json({ title: 'moved', status: 412 }, { status: 412 })
    server.spec = (JSON.parse(String(init.body)) as { spec: JsonObject }).spec
    server.puts.push(server.spec)
    ++server.version
    return Response.json(answer())
  })
  return server
}

afterEach(() => vi.unstubAllGlobals())

async function loaded() {
  const store = new DraftStore('d', () => {}, 5)
  await store.load()
  return store
}

describe('a draft', () => {
  it('sends what was typed once, after a pause', async () => {
    const server = fakeServer({ a: 1 })
    const store = await loaded()
    store.edit((spec) => ({ ...spec, a: 2 }))
    store.edit((spec) => ({ ...spec, b: 3 }))
    expect(store.save).toBe('dirty')
    await vi.waitFor(() => expect(store.save).toBe('saved'))
    expect(server.puts).toEqual([{ a: 2, b: 3 }])
    expect(store.draft?.spec).toEqual({ a: 2, b: 3 })
  })

  it('keeps what is typed while an older change is on its way', async () => {
    const server = fakeServer({ a: 1 })
    const store = await loaded()
    store.edit((spec) => ({ ...spec, a: 2 }))
    const sent = store.flush()
    store.edit((spec) => ({ ...spec, a: 3 }))
    await sent
    await store.flush()
    expect(server.spec).toEqual({ a: 3 })
  })

  it('that was changed elsewhere says what is lost, and shows the other one', async () => {
    const server = fakeServer({ a: 1, b: 1 })
    const store = await loaded()
    server.spec = { a: 1, b: 9 }
    ++server.version
    store.edit((spec) => ({ ...spec, a: 2 }))
    await store.flush()
    expect(store.overtaken).toEqual({ mine: ['a'], theirs: ['b'] })
    expect([store.typed, store.draft?.spec]).toEqual([undefined, { a: 1, b: 9 }])
    store.edit((spec) => ({ ...spec, a: 2 }))
    await store.flush()
    expect(server.spec).toEqual({ a: 2, b: 9 })
  })

  it('keeps what was typed when the server fails', async () => {
    const server = fakeServer({ a: 1 })
    const store = await loaded()
    server.broken = true
    store.edit(() => ({ a: 2 }))
    await store.flush()
    expect([store.save, store.typed]).toEqual(['failed', { a: 2 }])
    server.broken = false
    store.edit((spec) => spec)
    await store.flush()
    expect(server.spec).toEqual({ a: 2 })
  })
})
