// Reads hosts as people paste them: one a line, ranges in brackets, CSV with or without a heading.
//
//     10.0.0.[11-13]                       three hosts
//     w[01-20] 10.0.1.[1-20] worker        names and addresses counted together
//     cp1 ops@10.0.0.5:2222 control-plane,etcd
//     name,address,user,port,roles         a heading, in any order
import { parseAddress } from './cidr'

export const kRoles = ['control-plane', 'etcd', 'worker', 'registry'] as const
export type HostRole = (typeof kRoles)[number]

export interface ParsedHost {
  name: string
  address: string
  user?: string
  port?: number
  internalAddress?: string
  bastion?: string
  roles?: HostRole[]
  labels?: Record<string, string>
}

export interface BadLine {
  line: number
  text: string
  reason: 'range' | 'counts' | 'address' | 'port' | 'role' | 'columns' | 'too-many' | 'duplicate'
}

export interface ParsedList {
  hosts: ParsedHost[]
  bad: BadLine[]
}

const kMost = 5000

export function parseHostList(text: string): ParsedList {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  const heading = csvHeading(lines)
  const out: ParsedList = { hosts: [], bad: [] }
  const names = new Set<string>()
  lines.forEach((raw, index) => {
    const line = raw.replace(/(^|\s)#.*$/, '').trim()
    if (line === '' || index === heading?.index) return
    const result = heading ? fromCsv(line, heading.columns) : fromWords(line)
    if (typeof result === 'string') out.bad.push({ line: index + 1, text: raw, reason: result })
    else take(out, names, result, index + 1, raw)
  })
  return out
}

function take(out: ParsedList, names: Set<string>, hosts: ParsedHost[], line: number, text: string) {
  for (const host of hosts) {
    if (names.has(host.name)) return void out.bad.push({ line, text, reason: 'duplicate' })
    if (out.hosts.length >= kMost) return void out.bad.push({ line, text, reason: 'too-many' })
    names.add(host.name)
    out.hosts.push(host)
  }
}

// ---- ranges

// "w[01-03]" → w01 w02 w03; text without brackets is itself, once.
export function expandRange(text: string): string[] | undefined {
  const match = /^([^[\]]*)\[(\d+)-(\d+)\](.*)$/.exec(text)
  if (!match) return /[[\]]/.test(text) && !isBracketedV6(text) ? undefined : [text]
  const [, before = '', low = '', high = '', after = ''] = match
  const count = Number(high) - Number(low) + 1
  if (count < 1 || count > kMost) return undefined
  const width = low.startsWith('0') ? low.length : 0
  const tails = expandRange(after)
  if (!tails) return undefined
  return Array.from({ length: count }, (_, i) => String(Number(low) + i).padStart(width, '0')).flatMap((number) =>
    tails.map((tail) => before + number + tail),
  )
}

function isBracketedV6(text: string): boolean {
  return /^(.*@)?\[[0-9a-fA-F:.]+\](:\d+)?$/.test(text)
}

// ---- one host a line, in words

type Refusal = BadLine['reason']

function fromWords(line: string): ParsedHost[] | Refusal {
  const words = line.split(/[\s;]+|,(?=\s)/).filter(Boolean)
  const roles = words.length > 1 && looksLikeRoles(words.at(-1)!) ? readRoles(words.pop()!) : undefined
  if (roles === 'role') return 'role'
  if (words.length > 2 || words.length === 0) return 'columns'
  const named = words.length === 2 ? expandRange(words[0]!) : undefined
  const places = expandRange(words.at(-1)!)
  if (!places || (words.length === 2 && !named)) return 'range'
  if (named && named.length !== places.length) return 'counts'
  const hosts: ParsedHost[] = []
  for (const [i, place] of places.entries()) {
    const login = readLogin(place)
    if (typeof login === 'string') return login
    hosts.push({ name: named?.[i] ?? nameOf(login.address), ...login, ...(roles ? { roles } : {}) })
  }
  return hosts
}

function looksLikeRoles(word: string): boolean {
  return /^[a-z]/.test(word) && word.split(',').some((each) => roleOf(each) !== undefined)
}

const kAliases: Record<string, HostRole> = { master: 'control-plane', cp: 'control-plane', node: 'worker' }

function roleOf(word: string): HostRole | undefined {
  const known = kRoles.find((role) => role === word)
  return known ?? kAliases[word]
}

function readRoles(text: string): HostRole[] | 'role' {
  const roles = text.split(/[,|+\s]+/).filter(Boolean).map(roleOf)
  return roles.every((role) => role !== undefined) ? [...new Set(roles)] : 'role'
}

function readLogin(text: string): { address: string; user?: string; port?: number } | Refusal {
  const match = /^(?:([^@]+)@)?(?:\[([^\]]+)\]|([^:]+)|(.*:.*:.*))(?::(\d+))?$/.exec(text)
  const address = match?.[2] ?? match?.[3] ?? match?.[4]
  if (!match || !address) return 'address'
  if (!isPlace(address)) return 'address'
  const port = match[5] === undefined ? undefined : Number(match[5])
  if (port !== undefined && (port < 1 || port > 65535)) return 'port'
  return { address, ...(match[1] ? { user: match[1] } : {}), ...(port ? { port } : {}) }
}

export function isPlace(text: string): boolean {
  if (text === 'local') return true
  if (/^[\d.]+$/.test(text) || text.includes(':')) return parseAddress(text) !== undefined
  return /^(?!-)[a-zA-Z0-9-]{1,63}(?<!-)(\.(?!-)[a-zA-Z0-9-]{1,63}(?<!-))*$/.test(text)
}

// A name the spec takes: of the address when there is no other.
export function nameOf(address: string): string {
  if (parseAddress(address)) return `node-${address.replace(/[.:]+/g, '-').replace(/^-|-$/g, '')}`
  return (address.split('.')[0] ?? address).toLowerCase()
}

// ---- CSV

const kColumns: Record<string, keyof ParsedHost> = {
  name: 'name',
  hostname: 'name',
  host: 'name',
  address: 'address',
  ip: 'address',
  internaladdress: 'internalAddress',
  internal: 'internalAddress',
  user: 'user',
  port: 'port',
  role: 'roles',
  roles: 'roles',
  bastion: 'bastion',
  labels: 'labels',
}

function csvHeading(lines: string[]): { index: number; columns: (keyof ParsedHost | undefined)[] } | undefined {
  const index = lines.findIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'))
  const cells = csvCells(lines[index] ?? '').map((cell) => cell.toLowerCase().replace(/[\s_-]/g, ''))
  if (cells.length < 2 || !cells.every((cell) => cell in kColumns || cell === '')) return undefined
  const columns = cells.map((cell) => kColumns[cell])
  // "host" alone is the address; beside an address it is the name.
  if (!columns.includes('address')) columns[columns.indexOf('name')] = 'address'
  return columns.includes('address') ? { index, columns } : undefined
}

export function csvCells(line: string): string[] {
  const separator = line.includes(',') ? ',' : line.includes(';') ? ';' : '\t'
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let i = 0; i < line.length; ++i) {
    const c = line[i]!
    if (quoted && c === '"' && line[i + 1] === '"') cell += line[++i]
    else if (c === '"') quoted = !quoted
    else if (c === separator && !quoted) cells.push(cell.trim()), (cell = '')
    else cell += c
  }
  return [...cells, cell.trim()]
}

function fromCsv(line: string, columns: (keyof ParsedHost | undefined)[]): ParsedHost[] | Refusal {
  const cells = csvCells(line)
  if (cells.length > columns.length) return 'columns'
  const row: Partial<Record<keyof ParsedHost, string>> = {}
  cells.forEach((cell, i) => {
    const column = columns[i]
    if (column && cell) row[column] = cell
  })
  if (!row.address || !isPlace(row.address)) return 'address'
  const port = row.port === undefined ? undefined : Number(row.port)
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65536)) return 'port'
  const roles = row.roles === undefined ? undefined : readRoles(row.roles)
  if (roles === 'role') return 'role'
  const host: ParsedHost = { name: row.name ?? nameOf(row.address), address: row.address }
  if (row.user) host.user = row.user
  if (port) host.port = port
  if (row.internalAddress) host.internalAddress = row.internalAddress
  if (row.bastion) host.bastion = row.bastion
  if (roles) host.roles = roles
  if (row.labels) host.labels = readLabels(row.labels)
  return [host]
}

function readLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(/[\s|;]+/).flatMap((pair) => {
      const at = pair.indexOf('=')
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : []
    }),
  )
}
