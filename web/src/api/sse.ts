// Server-sent events over fetch, so that a cut stream can be taken up behind the last event that
// was seen. Guarantees: in order, none missed, none twice, as long as the server keeps the contract
// of `Last-Event-ID`.
import { base } from './client'
import type { RunEvent } from './types'

export interface Message {
  id: string
  event: string
  data: string
}

// Takes text in whatever pieces it arrives; gives out whole messages.
export class MessageParser {
  private rest = ''
  private id = ''
  private event = ''
  private data: string[] = []

  push(text: string): Message[] {
    const out: Message[] = []
    this.rest += text
    // A \r at the very end may be the first half of \r\n: leave it for the next piece.
    let end = this.lineEnd()
    while (end !== undefined) {
      const message = this.line(this.rest.slice(0, end.at))
      this.rest = this.rest.slice(end.at + end.length)
      if (message) out.push(message)
      end = this.lineEnd()
    }
    return out
  }

  private lineEnd(): { at: number; length: number } | undefined {
    const at = this.rest.search(/[\r\n]/)
    if (at < 0) return undefined
    if (this.rest[at] === '\n') return { at, length: 1 }
    if (at + 1 === this.rest.length) return undefined
    return { at, length: this.rest[at + 1] === '\n' ? 2 : 1 }
  }

  private line(line: string): Message | undefined {
    if (line === '') return this.dispatch()
    if (line.startsWith(':')) return undefined
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') this.id = value
    else if (field === 'event') this.event = value
    else if (field === 'data') this.data.push(value)
    return undefined
  }

  private dispatch(): Message | undefined {
    const message = { id: this.id, event: this.event || 'message', data: this.data.join('\n') }
    const something = this.data.length > 0 || this.event !== ''
    this.event = ''
    this.data = []
    return something ? message : undefined
  }
}

export type StreamState = 'connecting' | 'live' | 'waiting' | 'ended' | 'refused'

export interface StreamOptions {
  path: string
  after?: number
  onEvents: (events: RunEvent[]) => void
  onState?: (state: StreamState) => void
  fetch?: typeof fetch
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  random?: () => number
}

const kFirstWait = 500
const kLongestWait = 15_000
// The server speaks every 15 s; a link silent for three times that is dead.
const kSilence = 45_000

export function backoff(attempt: number, random: () => number): number {
  const full = Math.min(kLongestWait, kFirstWait * 2 ** attempt)
  return full / 2 + (full / 2) * random()
}

export function follow(options: StreamOptions): () => void {
  const stop = new AbortController()
  void new Follower(options, stop.signal).run()
  return () => stop.abort()
}

class Follower {
  private last: number
  private attempt = 0
  private ended = false

  constructor(
    private readonly options: StreamOptions,
    private readonly signal: AbortSignal,
  ) {
    this.last = options.after ?? 0
  }

  async run(): Promise<void> {
    while (!this.signal.aborted) {
      this.state('connecting')
      const refused = await this.connectOnce()
      if (this.signal.aborted) return
      if (this.ended) return this.state('ended')
      if (refused) return this.state('refused')
      this.state('waiting')
      const wait = backoff(this.attempt++, this.options.random ?? Math.random)
      await (this.options.sleep ?? sleep)(wait, this.signal)
    }
  }

  // True when the server will not answer otherwise if asked again.
  private async connectOnce(): Promise<boolean> {
    const cut = new AbortController()
    const abort = () => cut.abort()
    this.signal.addEventListener('abort', abort)
    try {
      const response = await (this.options.fetch ?? fetch)(base + this.options.path, {
        headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(this.last) },
        credentials: 'same-origin',
        cache: 'no-store',
        signal: cut.signal,
      })
      if (!response.ok || !response.body) return response.status >= 400 && response.status < 500
      this.state('live')
      await this.read(response.body.getReader(), cut)
    } catch {
      // a cut link: the loop comes back
    } finally {
      this.signal.removeEventListener('abort', abort)
      cut.abort()
    }
    return false
  }

  private async read(reader: ReadableStreamDefaultReader<Uint8Array>, cut: AbortController) {
    const decoder = new TextDecoder()
    const parser = new MessageParser()
    for (;;) {
      const silence = setTimeout(() => cut.abort(), kSilence)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done || this.signal.aborted) return
      this.take(parser.push(decoder.decode(value, { stream: true })))
      if (this.ended) return void reader.cancel()
    }
  }

  private take(messages: Message[]) {
    const events: RunEvent[] = []
    for (const message of messages) {
      if (message.event === 'end') {
        this.ended = true
        break
      }
      const event = parseEvent(message.data)
      if (!event || event.seq <= this.last) continue
      this.last = event.seq
      events.push(event)
    }
    if (events.length === 0) return
    this.attempt = 0
    this.options.onEvents(events)
  }

  private state(state: StreamState) {
    this.options.onState?.(state)
  }
}

function parseEvent(data: string): RunEvent | undefined {
  try {
    const event = JSON.parse(data) as RunEvent
    return typeof event.seq === 'number' ? event : undefined
  } catch {
    return undefined
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
