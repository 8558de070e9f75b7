// Routes, bodies and problems of the mock.

export class Problem extends Error {
  constructor(status, id, detail, more = {}, headers = {}) {
    super(detail)
    Object.assign(this, { status, id, more, headers })
  }
  body() {
    return { type: `/docs/errors#${this.id}`, title: this.id, status: this.status, detail: this.message, id: this.id, ...this.more }
  }
}

export async function readBody(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const isJson = (request.headers['content-type'] ?? '').startsWith('application/json')
  const text = isJson ? bytes.toString('utf8') : ''
  try {
    return { bytes, text, json: isJson && text ? JSON.parse(text) : {} }
  } catch {
    throw new Problem(400, 'API-BAD-JSON', 'the body is no JSON')
  }
}

export class Router {
  constructor(routes) {
    this.routes = routes.map(([method, path, role, run]) => ({ method, role, run, pattern: new RegExp(`^/api/v1${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }))
  }
  find(method, path) {
    const there = this.routes.filter((route) => route.pattern.test(path))
    const route = there.find((each) => each.method === method)
    if (!route) throw there.length ? new Problem(405, 'API-METHOD', `${method} is not for ${path}`) : new Problem(404, 'API-NOT-FOUND', `there is no ${path}`)
    const groups = route.pattern.exec(path).groups ?? {}
    return { route, parameters: Object.fromEntries(Object.entries(groups).map(([key, value]) => [key, decodeURIComponent(value)])) }
  }
}

export function paged(items, query) {
  const limit = Math.min(1000, Number(query.get('limit') ?? 100))
  const from = Number(query.get('page') ?? 0)
  const next = from + limit < items.length ? String(from + limit) : undefined
  return { json: { items: items.slice(from, from + limit), ...(next ? { next } : {}) } }
}
