// The spec as JSON, changed without touching what was there; and where problems belong.
import type { Json, JsonObject, SpecProblem } from '../api/types'

export type Path = (string | number)[]

export function getAt(value: Json | undefined, path: Path): Json | undefined {
  let at: Json | undefined = value
  for (const key of path) {
    if (at === null || typeof at !== 'object') return undefined
    at = Array.isArray(at) ? at[key as number] : at[key]
  }
  return at
}

// `undefined` takes the field out, and with it every object or list that becomes empty: a spec holds
// only what somebody meant. An entry of a list stays, though empty, until it is taken out itself.
export function setAt(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return next
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? [...value] : []
    if (rest.length === 0 && next === undefined) list.splice(key, 1)
    else list[key] = setAt(list[key], rest, next) ?? {}
    return list.length > 0 ? list : undefined
  }
  const object: JsonObject = isObject(value) ? { ...value } : {}
  const child = setAt(object[key], rest, next)
  if (child === undefined) delete object[key]
  else object[key] = child
  return Object.keys(object).length === 0 && path.length > 0 && next === undefined ? undefined : object
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// As the server writes it: ["hosts", 2, "address"] is hosts[2].address. The envelope `spec` is left out.
export function pathText(path: Path): string {
  const inner = path[0] === 'spec' ? path.slice(1) : path
  return inner.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    if (!/^[\w-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text ? `${text}.${key}` : key
  }, '')
}

export function problemsAt(problems: SpecProblem[], path: Path): SpecProblem[] {
  const wanted = pathText(path)
  return problems.filter((problem) => problem.path === wanted)
}

export function problemsBelow(problems: SpecProblem[], prefix: string): SpecProblem[] {
  return problems.filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`))
}

export function errorsOf(problems: SpecProblem[]): SpecProblem[] {
  return problems.filter((problem) => problem.severity === 'error')
}

export interface Host {
  name: string
  address: string
  internalAddress?: string
  port?: number
  user?: string
  roles: string[]
  key?: JsonObject
  password?: JsonObject
  bastion?: string
  become?: JsonObject
  labels?: Record<string, string>
  [field: string]: Json | undefined
}

export function hostsOf(spec: JsonObject): Host[] {
  const hosts = getAt(spec, ['spec', 'hosts'])
  if (!Array.isArray(hosts)) return []
  return hosts.filter(isObject).map((host) => ({
    ...host,
    name: String(host.name ?? ''),
    address: String(host.address ?? ''),
    roles: Array.isArray(host.roles) ? host.roles.map(String) : [],
  }))
}

export function withHosts(spec: JsonObject, hosts: Host[]): JsonObject {
  const plain = hosts.map((host) => Object.fromEntries(Object.entries(host).filter(([, value]) => value !== undefined)) as JsonObject)
  return setAt(spec, ['spec', 'hosts'], plain) as JsonObject
}

// Whoever is reached through a host that has another name now still is.
export function keepBastions(before: Host[], after: Host[]): Host[] {
  const renamed = new Map(before.flatMap((host, i): [string, string][] => (after[i] && after[i].name !== host.name ? [[host.name, after[i].name]] : [])))
  if (renamed.size === 0) return after
  return after.map((host) => (host.bastion !== undefined && renamed.has(host.bastion) ? { ...host, bastion: renamed.get(host.bastion)! } : host))
}

export function newSpec(name: string): JsonObject {
  return { apiVersion: 'slipway.dev/v1', kind: 'Cluster', metadata: { name }, spec: { hosts: [] } }
}

// The paths at which two specs differ: told to a person whose change was overtaken.
export function changedPaths(a: Json | undefined, b: Json | undefined, path: Path = []): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return []
  if (isObject(a ?? b) && isObject(b ?? a)) {
    const [before, after] = [a ?? {}, b ?? {}] as [JsonObject, JsonObject]
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => changedPaths(before[key], after[key], [...path, key]))
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((item, i) => changedPaths(item, b[i], [...path, i]))
  return [pathText(path)]
}
