// Specs as the real server would judge them: by the recorded JSON Schema, and by a few of its rules.
import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'

const fixture = (name) => JSON.parse(readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8'))
export const schema = fixture('schema.json')
export const steps = fixture('steps.json').steps
export const checks = fixture('checks.json').checks

const problem = (id, path, what, todo, severity = 'error') => ({
  id, severity, file: 'draft.yaml', line: 1, column: 1, path, what, todo,
})

// Paths are spoken of without the envelope: spec.hosts is hosts.
const childPath = (path, key) => {
  if (path === '') return key === 'spec' ? '' : key
  return /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
}

function typeOf(value) {
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : typeof value
}

function checkObject(value, rule, path, out) {
  const known = rule.properties ?? {}
  if (rule.propertyNames?.pattern) {
    for (const key of Object.keys(value)) {
      if (!new RegExp(rule.propertyNames.pattern, 'u').test(key)) out.push(problem('SPEC-BAD-VALUE', childPath(path, key), `the key ${JSON.stringify(key)} is not of the right form`, rule.description ?? ''))
    }
  }
  for (const [key, child] of Object.entries(value)) {
    const childRule = known[key] ?? (typeof rule.additionalProperties === 'object' ? rule.additionalProperties : undefined)
    if (childRule) check(child, childRule, childPath(path, key), out)
    else out.push(problem('SPEC-UNKNOWN-KEY', childPath(path, key), 'unknown key', `use one of: ${Object.keys(known).join(', ')}`))
  }
  for (const key of rule.required ?? []) {
    if (!(key in value)) out.push(problem('SPEC-MISSING', childPath(path, key), 'is missing', known[key]?.description ?? ''))
  }
}

function check(value, rule, path, out) {
  if (rule.not) return out.push(problem('SPEC-NOT-BUILT', path, 'is not built in this version', 'leave it out'))
  const type = typeOf(value)
  const fits = type === rule.type || (rule.type === 'number' && type === 'integer')
  if (rule.type && !fits) return out.push(problem('SPEC-BAD-TYPE', path, `is no ${rule.type}`, rule.description ?? ''))
  if (rule.enum && !rule.enum.includes(value)) out.push(problem('SPEC-BAD-VALUE', path, `is ${JSON.stringify(value)}`, `use one of: ${rule.enum.join(', ')}`))
  if (rule.pattern && !new RegExp(rule.pattern, 'u').test(value)) out.push(problem('SPEC-BAD-VALUE', path, `${JSON.stringify(value)} is not of the right form`, rule.description ?? ''))
  if (type === 'integer' && (value < (rule.minimum ?? -Infinity) || value > (rule.maximum ?? Infinity)))
    out.push(problem('SPEC-BAD-VALUE', path, `${value} is out of range`, `from ${rule.minimum} to ${rule.maximum}`))
  if (type === 'array') {
    value.forEach((item, i) => check(item, rule.items ?? {}, `${path}[${i}]`, out))
    if (value.length < (rule.minItems ?? 0)) out.push(problem('SPEC-MISSING', path, 'has no entry', rule.description ?? ''))
  }
  if (type === 'object') checkObject(value, rule, path, out)
  return out
}

function hostRules(hosts, out) {
  const names = new Map()
  const addresses = new Map()
  hosts.forEach((host, i) => {
    if (/^[\d.]+$/.test(host.address ?? '') && (host.address.split('.').length !== 4 || host.address.split('.').some((part) => Number(part) > 255)))
      out.push(problem('SPEC-BAD-VALUE', `hosts[${i}].address`, `"${host.address}" is neither an IP address nor a host name`, 'write it as 10.0.0.10, fd00::10 or node-1.example.org'))
    if (names.has(host.name)) out.push(problem('SPEC-DUPLICATE', `hosts[${i}].name`, `"${host.name}" is also hosts[${names.get(host.name)}]`, 'give each host its own name'))
    if (addresses.has(host.address)) out.push(problem('SPEC-DUPLICATE', `hosts[${i}].address`, `${host.address} is also hosts[${addresses.get(host.address)}]`, 'give each host its own address'))
    names.set(host.name, i)
    addresses.set(host.address, i)
  })
  const planes = hosts.filter((host) => host.roles?.includes('control-plane')).length
  if (planes === 0) out.push(problem('SPEC-NO-CONTROL-PLANE', 'hosts', 'no host has the role control-plane', 'give it to at least one host'))
  return planes
}

export function judge(spec) {
  const out = []
  check(spec, schema, '', out)
  const inner = spec?.spec ?? {}
  if (Array.isArray(inner.hosts)) {
    const planes = hostRules(inner.hosts, out)
    if (planes > 1 && !inner.kubernetes?.endpoint)
      out.push(problem('SPEC-ENDPOINT', 'kubernetes.endpoint', `${planes} control planes are reached through the first one alone`, 'to outlive that machine, set kubernetes.endpoint to a load balancer', 'notice'))
  }
  const pods = inner.kubernetes?.networks?.pods?.[0]
  if (pods === '10.0.0.0/8')
    out.push(problem('SPEC-OVERLAP', 'kubernetes.networks.pods[0]', '10.0.0.0/8 overlaps the service network 10.96.0.0/16', 'choose networks that share no address'))
  return out
}

function withDefaults(value, rule) {
  if (rule.type === 'array') return (value ?? rule.default ?? []).map((item) => withDefaults(item, rule.items ?? {}))
  if (rule.type !== 'object' || !rule.properties) return value ?? rule.default
  if (rule.maxProperties === 1) return value
  const out = {}
  for (const [key, child] of Object.entries(rule.properties)) {
    const filled = child.not ? undefined : withDefaults(value?.[key], child)
    if (filled !== undefined) out[key] = filled
  }
  return out
}

export const valid = (problems) => !problems.some((each) => each.severity === 'error')

export function readYaml(text) {
  try {
    return { spec: parse(text) ?? {}, problems: undefined }
  } catch (error) {
    const at = error.linePos?.[0] ?? { line: 1, col: 1 }
    return { spec: {}, problems: [{ ...problem('SPEC-YAML', '', error.message.split('\n')[0], 'put the YAML right'), line: at.line, column: at.col }] }
  }
}

export const writeYaml = (spec) => stringify(spec, { lineWidth: 0 })

export function examine({ yaml, spec }) {
  const read = spec ? { spec } : readYaml(yaml)
  const problems = read.problems ?? judge(read.spec)
  return {
    yaml: yaml ?? writeYaml(spec),
    spec: read.spec,
    problems,
    ...(valid(problems) ? { effective: withDefaults(read.spec, schema) } : {}),
  }
}

// The secrets the server would ask for: those the spec marks with `prompt`, by the name of their host.
export function secretPaths(spec) {
  const out = []
  const walk = (value, path) => {
    if (!value || typeof value !== 'object') return
    if (value.prompt === true) return void out.push(path)
    for (const [key, child] of Object.entries(value)) walk(child, childPath(path, Array.isArray(value) ? (child?.name ?? key) : key))
  }
  walk(spec, '')
  return out
}

// ---- what runs where

function hostsOf(where, hosts, etcdOf) {
  const planes = hosts.filter((host) => host.roles?.includes('control-plane'))
  const nodes = hosts.filter((host) => host.roles?.some((role) => role === 'control-plane' || role === 'worker'))
  const first = [...planes].sort((a, b) => a.name.localeCompare(b.name)).slice(0, 1)
  if (where.startsWith('once')) return [{ name: '' }]
  if (where === 'every node') return nodes
  if (where === 'every control-plane') return planes
  if (where === 'first control-plane') return first
  if (where === 'every registry') return first
  if (where.includes('member of etcd')) return etcdOf(planes)
  return hosts
}

const switchedOff = ['install-etcd-programs', 'write-etcd-certificates', 'start-load-balancer', 'start-local-balancer', 'give-dns-address', 'install-node-dns', 'prepare-volumes-folder', 'install-local-storage', 'encrypt-secrets', 'write-audit-policy', 'copy-files', 'remove-components', 'await-cluster']

// A plan of the shape `slipway plan -o json` has, for every step of the recorded catalogue that applies.
export function planOf(spec, done = new Set()) {
  const hosts = spec.spec.hosts ?? []
  const withCluster = (spec.spec.bundles ?? []).length > 0
  const prepare = new Set(['every host'])
  const wanted = steps.filter((step) => !step.id.endsWith('*') && !switchedOff.includes(step.id) && (withCluster || (prepare.has(step.where) && step.id !== 'install-packages')))
  const nodes = wanted.flatMap((step) => hostsOf(step.where, hosts, (planes) => planes).map((host) => ({ step, host: host.name, id: host.name ? `${host.name}/${step.id}` : step.id })))
  const known = new Set(nodes.map((node) => node.id))
  const needsOf = (node) => node.step.needs.flatMap((need) => {
    const [scope, id] = need.includes(':') ? need.split(':') : ['', need]
    const there = scope ? nodes.filter((other) => other.step.id === id).map((other) => other.id) : [node.host ? `${node.host}/${id}` : id]
    return there.filter((each) => known.has(each))
  })
  const list = nodes.map((node) => {
    const change = done.has(node.id) ? 'none' : node.step.id.startsWith('wait-') ? 'run' : node.step.id === 'set-hostname' ? 'change' : 'create'
    return {
      id: node.id, step: node.step.id, host: node.host, title: node.step.title, needs: needsOf(node), change,
      reason: change === 'none' ? '' : done.size > 0 ? 'drift' : 'new',
      changes: change === 'none' ? [] : changesOf(node.step.id, change),
    }
  })
  const toChange = list.filter((each) => each.change !== 'none').length
  const seconds = 4 * toChange
  return { hash: 'a1'.repeat(32), world: 'b2'.repeat(32), toChange, estimate: { seconds, low: seconds / 4, high: seconds * 1.75, steps: toChange, measured: done.size > 0 ? toChange : 0 }, steps: list }
}

function changesOf(step, verb) {
  if (step === 'load-kernel-modules') return [
    { verb: 'create', what: 'file /etc/modules-load.d/slipway.conf', detail: '0644 root:root' },
    { verb: 'change', what: 'kernel module overlay', detail: '' },
  ]
  if (step === 'set-sysctls') return [{ verb: 'create', what: 'file /etc/sysctl.d/90-slipway.conf', detail: '12 settings' }]
  return [{ verb, what: step.replaceAll('-', ' '), detail: '' }]
}

// ---- preflight

const overHosts = new Set(['CLUSTER-ARCH-MIX', 'CLUSTER-TIMEZONES', 'NET-MTU-MIX', 'CLUSTER-POD-CAPACITY', 'CLUSTER-NODE-PODS', 'CLUSTER-SERVICE-CAPACITY'])

export function preflightOf(spec, { trusted, ignore = [], unreachable }) {
  const rows = []
  for (const host of spec.spec.hosts ?? []) {
    const add = (id, changes = {}) => rows.push({ ...checks.find((each) => each.id === id), host: host.name, ignored: false, ...changes })
    if (unreachable(host)) {
      add('HOST-UNREACHABLE', { result: 'failed', seen: `${host.address}: no route to host`, wanted: 'an SSH server that answers', remedy: 'switch the machine on, and let its SSH port pass' })
      continue
    }
    if (!trusted.has(host.address)) {
      add('HOST-KEY', { result: 'failed', seen: 'its key was never accepted', wanted: 'an accepted key', remedy: 'accept it after comparing its fingerprint' })
      continue
    }
    for (const { id } of checks) {
      if (overHosts.has(id)) continue
      if (id === 'HOST-MEMORY-AVAILABLE' && host.name.endsWith('2')) add(id, { result: 'failed', severity: 'warning', seen: '1.4 GiB free of 8 GiB', wanted: '2 GiB free', remedy: 'stop what else runs there: ps aux --sort=-rss | head' })
      else if (id === 'NET-PORT-KUBE-PROXY' && host.labels?.mock === 'port-in-use') add(id, { result: 'failed', severity: 'error', seen: 'in use: 10256/tcp by nginx', wanted: '10256/tcp, 10249/tcp free', remedy: "see who has it (ss -tulpn | grep ':10256 '), and stop it or move it to another port" })
      else add(id)
    }
  }
  for (const row of checks.filter((each) => overHosts.has(each.id))) rows.push({ ...row, host: '' })
  for (const row of rows) if (row.result !== 'passed' && ignore.includes(row.id)) row.ignored = true
  return { passed: !rows.some((row) => row.result !== 'passed' && row.severity === 'error' && !row.ignored), checks: rows }
}
