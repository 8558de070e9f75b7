// One way to speak to the server: JSON in, JSON out, every refusal an ApiError that carries the
// server's own problem document.
import type { Problem } from './types'

export const base = '/api/v1'

export class ApiError extends Error {
  constructor(
    readonly problem: Problem,
    readonly retryAfter?: number,
  ) {
    super(problem.detail ?? problem.title)
  }
  get status() {
    return this.problem.status
  }
}

export interface Answer<T> {
  body: T
  etag?: string
}

export interface Request {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

let csrf = ''
let onSignedOut: () => void = () => {}

export function setCsrf(token: string | undefined) {
  csrf = token ?? ''
}
export function whenSignedOut(callback: () => void) {
  onSignedOut = callback
}

function headersOf(request: Request): Record<string, string> {
  const headers: Record<string, string> = { Accept: 'application/json', ...request.headers }
  const method = request.method ?? 'GET'
  if (method !== 'GET' && method !== 'HEAD' && csrf) headers['X-Slipway-Csrf'] = csrf
  if (request.body !== undefined && !(request.body instanceof Blob))
    headers['Content-Type'] = 'application/json'
  return headers
}

function bodyOf(body: unknown): BodyInit | undefined {
  if (body === undefined) return undefined
  return body instanceof Blob ? body : JSON.stringify(body)
}

async function problemOf(response: Response): Promise<Problem> {
  const fallback: Problem = { title: response.statusText || 'error', status: response.status }
  try {
    const body = (await response.json()) as Partial<Problem>
    return { ...fallback, ...body, status: response.status }
  } catch {
    return fallback
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const problem = await problemOf(response)
  const after = Number(response.headers.get('Retry-After'))
  return new ApiError(problem, after > 0 ? after : undefined)
}

export async function send(path: string, request: Request = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(base + path, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      body: bodyOf(request.body),
      credentials: 'same-origin',
      signal: request.signal,
    })
  } catch (error) {
    if (request.signal?.aborted) throw error
    throw new ApiError({ id: 'PAGE-OFFLINE', title: 'offline', status: 0 })
  }
  if (response.ok) return response
  const error = await refusal(response)
  if (error.status === 401 && path !== '/session') onSignedOut()
  throw error
}

export async function ask<T>(path: string, request: Request = {}): Promise<Answer<T>> {
  const response = await send(path, request)
  const etag = response.headers.get('ETag') ?? undefined
  if (response.status === 204) return { body: undefined as T, etag }
  return { body: (await response.json()) as T, etag }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask<T>(path, { signal })).body
}

// A second click, or a retry after a lost answer, must not do it twice.
export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  const headers = { 'Idempotency-Key': newKey() }
  return (await ask<T>(path, { method: 'POST', body, headers })).body
}

export async function remove(path: string): Promise<void> {
  await ask(path, { method: 'DELETE' })
}

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function segment(text: string | number): string {
  return encodeURIComponent(String(text))
}

// Follows `next` to the end: for lists that are short by their nature.
export async function all<T>(path: string, signal?: AbortSignal): Promise<T[]> {
  const items: T[] = []
  let page = ''
  do {
    const join = path.includes('?') ? '&' : '?'
    const url = `${path}${join}limit=1000${page ? `&page=${segment(page)}` : ''}`
    const list = await get<{ items: T[]; next?: string }>(url, signal)
    items.push(...list.items)
    page = list.next ?? ''
  } while (page)
  return items
}
