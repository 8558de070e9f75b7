import { describe, expect, it } from 'vitest'
import { backoff, follow, MessageParser, type StreamState } from './sse'
import type { RunEvent } from './types'

function eventText(seq: number): string {
  const data = { seq, run: 1, time: '', type: 'log.line', level: 'info', line: `line ${seq} ü` }
  return `id: ${seq}\nevent: log.line\ndata: ${JSON.stringify(data)}\n\n`
}

// A server with events 1..count whose every connection is cut after `cutAfter` bytes.
function cuttingServer(count: number, cutAfter: number) {
  const asked: number[] = []
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const after = Number(new Headers(init?.headers).get('Last-Event-ID'))
    asked.push(after)
    let text = ': hello\n\n'
    for (let seq = after + 1; seq <= count; ++seq) text += eventText(seq)
    text += 'event: end\ndata: {}\n\n'
    const bytes = new TextEncoder().encode(text).slice(0, cutAfter)
    let at = 0
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) {
          if (bytes.length === cutAfter) controller.error(new TypeError('network error'))
          else controller.close()
          return
        }
        controller.enqueue(bytes.slice(at, at + 7))
        at += 7
      },
    })
    return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } })
  }
  return { fetch: fetch as typeof globalThis.fetch, asked }
}

function collect(fetch: typeof globalThis.fetch, after = 0) {
  const seen: RunEvent[] = []
  const states: StreamState[] = []
  const waits: number[] = []
  return new Promise<{ seen: RunEvent[]; states: StreamState[]; waits: number[] }>((resolve) => {
    follow({
      path: '/x',
      after,
      fetch,
      onEvents: (events) => seen.push(...events),
      onState: (state) => {
        states.push(state)
        if (state === 'ended' || state === 'refused') resolve({ seen, states, waits })
      },
      sleep: async (ms) => void waits.push(ms),
      random: () => 1,
    })
  })
}

describe('a followed stream', () => {
  it('has no gap and no double when it is cut anywhere', async () => {
    for (const cutAfter of [150, 163, 211, 256, 301, 487]) {
      const server = cuttingServer(20, cutAfter)
      const { seen } = await collect(server.fetch)
      expect(seen.map((event) => event.seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
      expect(server.asked.length).toBeGreaterThan(1)
    }
  })

  it('begins behind the event it is given', async () => {
    const server = cuttingServer(5, 1e6)
    const { seen } = await collect(server.fetch, 3)
    expect(seen.map((event) => event.seq)).toEqual([4, 5])
    expect(server.asked).toEqual([3])
  })

  it('drops what a careless server sends twice', async () => {
    const text = eventText(1) + eventText(2) + eventText(2) + eventText(1) + eventText(3)
    const fetch = async () => new Response(text + 'event: end\ndata: {}\n\n')
    const { seen } = await collect(fetch)
    expect(seen.map((event) => event.seq)).toEqual([1, 2, 3])
  })

  it('waits ever longer while nothing comes, and not at all once refused', async () => {
    let calls = 0
    const fetch = async () => {
      if (++calls <= 4) throw new TypeError('down')
      return new Response('', { status: 401 })
    }
    const { waits, states } = await collect(fetch)
    expect(waits).toEqual([500, 1000, 2000, 4000])
    expect(states.at(-1)).toBe('refused')
  })

  it('stops when told to', async () => {
    let signal: AbortSignal | undefined
    const fetch = (async (_: unknown, init?: RequestInit) => {
      signal = init?.signal ?? undefined
      return new Response(new ReadableStream())
    }) as typeof globalThis.fetch
    const stop = follow({ path: '/x', fetch, onEvents: () => {} })
    await Promise.resolve()
    stop()
    expect(signal?.aborted).toBe(true)
  })
})

describe('the parser', () => {
  it('reads all line ends, comments, and data of several lines', () => {
    const parser = new MessageParser()
    const text = ': c\r\nid: 7\r\nevent:a\r\ndata: x\r\ndata: y\r\n\r\ndata:z\n\n'
    const messages = [...text].flatMap((character) => parser.push(character))
    expect(messages).toEqual([
      { id: '7', event: 'a', data: 'x\ny' },
      { id: '7', event: 'message', data: 'z' },
    ])
  })
})

it('backs off up to a limit', () => {
  expect(backoff(0, () => 0)).toBe(250)
  expect(backoff(30, () => 1)).toBe(15_000)
})
