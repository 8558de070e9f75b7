import { afterEach, expect, it, vi } from 'vitest'
import { upload } from './upload'

afterEach(() => vi.unstubAllGlobals())

// A server that has some bytes already and once answers that it has others than the page thinks.
function fakeServer(has: number, forgets?: number) {
  const server = { received: has, name: 'x.bundle', parts: [] as string[] }
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (init.method === 'POST') return Response.json({ received: (server.received = 0) }, { status: 201 })
    if (init.method === 'PATCH') {
      const range = new Headers(init.headers).get('Content-Range')!
      const [, from, to] = /bytes (\d+)-(\d+)/.exec(range)!.map(Number)
      if (forgets !== undefined && server.parts.length === 1) (server.received = forgets), (forgets = undefined)
      if (from !== server.received) return Response.json({ title: '', status: 409 }, { status: 409 })
      server.parts.push(range)
      return Response.json({ received: (server.received = to! + 1) })
    }
    if (url.includes('/bundles?')) return Response.json({ items: has ? [{ name: server.name, size: 10, state: 'uploading', received: server.received }] : [] })
    return Response.json({ received: server.received })
  })
  return server
}

const file = () => Object.assign(new Blob(['0123456789']), { name: 'x.bundle' }) as unknown as File

it('sends parts one after the other', async () => {
  const server = fakeServer(0)
  const seen: number[] = []
  await upload(file(), { part: 4, signal: new AbortController().signal, onProgress: (received) => seen.push(received) })
  expect(server.parts).toEqual(['bytes 0-3/10', 'bytes 4-7/10', 'bytes 8-9/10'])
  expect(seen).toEqual([0, 4, 8, 10])
})

it('goes on where an upload was left', async () => {
  const server = fakeServer(6)
  await upload(file(), { part: 4, signal: new AbortController().signal, onProgress: () => {} })
  expect(server.parts).toEqual(['bytes 6-9/10'])
})

it('follows the server when it has less than was thought', async () => {
  const server = fakeServer(0, 2)
  await upload(file(), { part: 4, signal: new AbortController().signal, onProgress: () => {} })
  expect(server.parts).toEqual(['bytes 0-3/10', 'bytes 2-5/10', 'bytes 6-9/10'])
})

it('stops when told to', async () => {
  fakeServer(0)
  const stop = new AbortController()
  await expect(upload(file(), { part: 4, signal: stop.signal, onProgress: () => stop.abort() })).rejects.toThrow()
})
