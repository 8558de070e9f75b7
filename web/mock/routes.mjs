// One row a route, as in docs/api.md.
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Problem, paged } from './http.mjs'
import { MockRun } from './run.mjs'
import { examine, planOf, preflightOf, schema, secretPaths, steps, valid } from './spec.mjs'
import { kCode, openSession } from './server.mjs'

const kVersion = '0.9.0-mock'
const kFingerprint = 'SHA256:4B:1F:9C:22:7A:E0:55:D3:8E:61:0B:F7:94:2C:AD:13:66:F0:9B:5E:C8:37:41:AA:D2:7F:E9:04:BB:18:53:6D'

// ---- who is there

function sessionBody(world, session) {
  const open = { version: kVersion, fingerprint: kFingerprint }
  if (world.password === undefined) return { state: 'locked', ...open }
  if (!session) return { state: 'signed-out', ...open }
  return { state: 'signed-in', ...open, user: 'admin', role: session.role, csrf: session.csrf, expires: session.expires }
}

function signedIn(world) {
  const session = openSession(world)
  return { status: 201, json: sessionBody(world, session), headers: { 'Set-Cookie': `slipway_session=${session.id}; HttpOnly; SameSite=Strict; Path=/` } }
}

function unlock({ world, body }) {
  if (world.password !== undefined) throw new Problem(409, 'AUTH-UNLOCKED', 'the server is unlocked already', { remedy: 'sign in' })
  if (body.json.code !== kCode) throw new Problem(403, 'AUTH-CODE', 'this is not the code on the console', { remedy: 'type it as the console shows it; it is new with every start' })
  if ((body.json.password ?? '').length < 10) throw new Problem(422, 'AUTH-PASSWORD-SHORT', 'the password is shorter than 10 characters', { remedy: 'choose a longer one' })
  world.password = body.json.password
  return signedIn(world)
}

function signIn({ world, body }) {
  if (body.json.password === world.password) return signedIn(world)
  world.wrong = (world.wrong ?? 0) + 1
  if (world.wrong > 3) throw new Problem(429, 'AUTH-SLOW-DOWN', 'too many wrong passwords', { remedy: 'wait, then try again' }, { 'Retry-After': '5' })
  throw new Problem(401, 'AUTH-PASSWORD', 'this is not the password', {})
}

function changePassword({ world, body, session }) {
  if (body.json.old !== world.password) throw new Problem(403, 'AUTH-PASSWORD', 'the old password is another')
  if ((body.json.new ?? '').length < 10) throw new Problem(422, 'AUTH-PASSWORD-SHORT', 'the password is shorter than 10 characters', { remedy: 'choose a longer one' })
  world.password = body.json.new
  for (const id of world.sessions.keys()) if (id !== session.id) world.sessions.delete(id)
  return { status: 204 }
}

function makeToken({ world, body }) {
  const { name, role, days } = body.json
  const now = Date.now()
  const row = { id: `t${world.tokens.length + 1}`, name, role, created: new Date(now).toISOString(), expires: new Date(now + days * 864e5).toISOString() }
  world.tokens.push(row)
  return { status: 201, json: { ...row, token: `slw_${randomBytes(20).toString('hex')}` } }
}

// ---- drafts

const etagOf = (yaml) => `"${createHash('sha256').update(yaml).digest('hex').slice(0, 16)}"`

function draftOf(world, name) {
  const draft = world.specs.get(name)
  if (!draft) throw new Problem(404, 'SPEC-UNKNOWN', `there is no draft ${name}`)
  return draft
}

function draftJson(draft) {
  const { name, yaml, spec, effective, problems, etag, updated } = draft
  return { name, yaml, spec, ...(effective ? { effective } : {}), problems, etag, updated, command: `slipway apply -c specs/${name}.yaml` }
}

export function keepDraft(world, name, input) {
  const draft = { name, ...examine(input), updated: new Date().toISOString() }
  draft.etag = etagOf(draft.yaml)
  world.specs.set(name, draft)
  return draft
}

function putDraft({ world, parameters, body, request }) {
  const old = world.specs.get(parameters.name)
  const match = request.headers['if-match']
  if (!old && request.headers['if-none-match'] !== '*' ) throw new Problem(428, 'API-NO-VERSION', 'there is no such draft; send If-None-Match: *')
  if (old && request.headers['if-none-match'] === '*') throw new Problem(412, 'API-MOVED', `there is a draft ${old.name} already`)
  if (old && !match) throw new Problem(428, 'API-NO-VERSION', 'send If-Match with the version you changed')
  if (old && match !== old.etag) throw new Problem(412, 'API-MOVED', `the draft was changed by somebody else at ${old.updated}`, { remedy: 'load it again and repeat your change' })
  const draft = keepDraft(world, parameters.name, body.json)
  return { status: old ? 200 : 201, json: draftJson(draft), headers: { ETag: draft.etag } }
}

const kept = (world, name) => {
  if (!world.secrets.has(name)) world.secrets.set(name, new Set())
  return world.secrets.get(name)
}

function convert({ body }) {
  const text = body.json.text ?? ''
  const kubekey = text.includes('kubekey.kubesphere.io')
  if (!kubekey && !text.includes('"cluster"') && !text.includes('"Config"')) throw new Problem(422, 'CONVERT-UNKNOWN', 'this is neither tke.json nor a KubeKey file', { remedy: 'send the whole file' })
  const spec = { apiVersion: 'slipway.dev/v1', kind: 'Cluster', metadata: { name: 'imported' }, spec: { hosts: [{ name: 'cp1', address: '10.0.0.11', roles: ['control-plane', 'etcd'] }, { name: 'w1', address: '10.0.0.21', roles: ['worker'] }] } }
  return { json: { yaml: examine({ spec }).yaml, from: kubekey ? 'kubekey' : 'tke', unsupported: [{ path: kubekey ? 'spec.addons[0]' : 'config.gateway.domain', why: 'Slipway installs no console' }] } }
}

// ---- jobs

function startJob(world, kind, spec, work) {
  const id = `j${world.jobs.size + 1}`
  const job = { id, kind, spec, state: 'running', started: new Date().toISOString(), lines: [] }
  world.jobs.set(id, job)
  const end = (state, more) => job.state === 'running' && Object.assign(job, { state, finished: new Date().toISOString(), ...more })
  setTimeout(() => job.lines.push('reading facts of the hosts'), world.options.delay / 3).unref()
  setTimeout(() => {
    try {
      end('succeeded', { result: work() })
    } catch (error) {
      end('failed', { problem: error instanceof Problem ? error.body() : { title: String(error), status: 500 } })
    }
  }, world.options.delay).unref()
  return { status: 202, json: { ...job } }
}

async function getJob({ world, parameters, query }) {
  const job = world.jobs.get(parameters.id)
  if (!job) throw new Problem(404, 'JOB-UNKNOWN', 'there is no such job')
  const until = Date.now() + 1000 * Math.min(30, Number(query.get('wait') ?? 0))
  while (job.state === 'running' && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
  return { json: job }
}

const requireValid = (draft) => {
  if (!valid(draft.problems)) throw new Problem(422, 'SPEC-INVALID', 'the spec has problems', { remedy: 'put them right first', problems: draft.problems })
  return draft
}

const unreachable = (host) => host.address.endsWith('.99') || host.labels?.mock === 'unreachable'

function keyOf(world, host) {
  if (unreachable(host)) return { host: host.name, state: 'unreachable', message: `${host.address}:${host.port ?? 22}: connection timed out`, remedy: 'switch the machine on, and let its SSH port pass every firewall on the way' }
  const fingerprint = `SHA256:${createHash('sha256').update(host.address).digest('base64').slice(0, 43)}`
  return { host: host.name, state: world.trusted.has(host.address) ? 'known' : 'new', fingerprint }
}

function hostsOf(draft) {
  return Array.isArray(draft.spec.spec?.hosts) ? draft.spec.spec.hosts : []
}

function keysJob({ world, parameters, body }) {
  const draft = draftOf(world, parameters.name)
  const wanted = body.json.hosts
  return startJob(world, 'keys', draft.name, () => ({ hosts: hostsOf(draft).filter((host) => !wanted || wanted.includes(host.name)).map((host) => keyOf(world, host)) }))
}

function trustJob({ world, parameters, body }) {
  const draft = draftOf(world, parameters.name)
  return startJob(world, 'trust', draft.name, () => {
    for (const { host: name, fingerprint } of body.json.keys) {
      const host = hostsOf(draft).find((each) => each.name === name)
      if (!host || keyOf(world, host).fingerprint !== fingerprint) throw new Problem(409, 'HOST-KEY-CHANGED', `${name} now shows another key`, { remedy: 'look at the fingerprints again' })
      world.trusted.add(host.address)
    }
    return { trusted: body.json.keys.length }
  })
}

function planJob({ world, parameters }) {
  const draft = requireValid(draftOf(world, parameters.name))
  const cluster = world.clusters.get(draft.spec.metadata.name)
  return startJob(world, 'plan', draft.name, () => planOf(draft.spec, cluster?.done ?? new Set()))
}

// ---- clusters and runs

function clusterOf(world, name) {
  const cluster = world.clusters.get(name)
  if (!cluster) throw new Problem(404, 'CLUSTER-UNKNOWN', `there is no cluster ${name}`)
  return cluster
}

function runOf(world, { name, run }) {
  const cluster = clusterOf(world, name)
  const found = run === 'last' ? cluster.runs.at(-1) : cluster.runs.find((each) => String(each.id) === run)
  if (!found) throw new Problem(404, 'RUN-UNKNOWN', `${name} has no run ${run}`)
  return found
}

export function startRun(world, name, plan, kind, spec) {
  if (!world.clusters.has(name)) world.clusters.set(name, { name, runs: [], done: new Set(), spec })
  const cluster = world.clusters.get(name)
  if (cluster.runs.at(-1) && !cluster.runs.at(-1).result) throw new Problem(409, 'RUN-LOCKED', `a run of ${name} is going on`, { remedy: 'wait for it, or cancel it' })
  const { speed, faults, slow, stretch } = world.options
  const run = new MockRun({ id: cluster.runs.length + 1, cluster: name, plan, kind, speed, faults: kind === 'reset' ? [] : faults, slow, stretch })
  run.subscribers.add((event) => {
    if (event?.type === 'step.finished' && ['changed', 'unchanged'].includes(event.outcome)) cluster.done.add(event.host ? `${event.host}/${event.step}` : event.step)
    if (event?.type === 'run.finished' && kind === 'reset') cluster.done.clear()
  })
  cluster.runs.push(run)
  return { status: 202, json: { cluster: name, run: run.id } }
}

function requireChecks(world, draft, ignore) {
  const { checks } = preflightOf(draft.spec, { trusted: world.trusted, ignore, unreachable })
  const bad = checks.filter((check) => check.result !== 'passed' && check.severity === 'error' && !check.ignored)
  if (bad.length === 0) return
  throw new Problem(409, 'SERVER-CHECKS-FAILED', bad.map((check) => `${check.host}: ${check.id}`).join('\n'), { cause: 'a check failed; nothing was changed on any host', remedy: 'see the preflight of this spec; ignore a check by its id' })
}

function apply({ world, parameters, body }) {
  const draft = requireValid(draftOf(world, parameters.name))
  if (!body.json.simulate) requireChecks(world, draft, body.json.ignore)
  const name = draft.spec.metadata.name
  return startRun(world, name, planOf(draft.spec, world.clusters.get(name)?.done), 'apply', draft.name)
}

function clusterSummary({ name, runs, spec }) {
  const run = runs.at(-1)
  if (!run) return { name, spec }
  const ended = run.finished ? { result: run.result, finished: new Date(run.finished).toISOString() } : {}
  return { name, spec, run: { id: run.id, kind: run.kind, state: run.state, started: new Date(run.started).toISOString(), percent: run.percent, ...ended } }
}

function kubernetesOf(world, cluster) {
  const draft = world.specs.get(cluster.spec)
  const hosts = draft ? hostsOf(draft) : []
  const nodes = hosts.map((host) => ({ name: host.name, roles: (host.roles ?? []).join(','), ready: true, schedulable: !host.roles?.includes('control-plane') || host.roles.includes('worker'), version: 'v1.34.11', address: host.address, runtime: 'containerd://2.1.5' }))
  const ends = (days) => ({ ends: new Date(Date.now() + days * 864e5).toISOString(), daysLeft: days })
  const planes = hosts.filter((host) => host.roles?.includes('control-plane'))
  return {
    server: `https://${planes[0]?.address ?? '10.0.0.11'}:6443`, answers: true, ready: true, version: 'v1.34.11', nodes,
    components: [
      { name: 'coredns', namespace: 'kube-system', kind: 'Deployment', ready: 2, wanted: 2, version: 'v1.12.1' },
      { name: 'kube-flannel-ds', namespace: 'kube-flannel', kind: 'DaemonSet', ready: nodes.length, wanted: nodes.length, version: 'v0.27.4' },
      { name: 'kube-proxy', namespace: 'kube-system', kind: 'DaemonSet', ready: nodes.length, wanted: nodes.length, version: 'v1.34.11' },
    ],
    certificates: [{ what: 'cluster CA', node: '', ...ends(3648) }, ...planes.map((host, i) => ({ what: 'API server', node: host.name, ...ends(i === 1 ? 21 : 363) })), { what: 'etcd server', node: planes[0]?.name ?? 'cp1', unknown: 'connection refused' }],
  }
}

function clusterStatus({ world, parameters, query }) {
  const cluster = clusterOf(world, parameters.name)
  const run = cluster.runs.at(-1)
  const { run: id, kind, result, started, finished } = run.row()
  const made = cluster.done.size > 0 && run.kind === 'apply' && query.get('journal') !== 'true'
  return { json: { cluster: cluster.name, run: id, kind, result, started, hosts: run.hostCounts(), ...(finished ? { finished } : { lock: 'slipway apply, pid 4711 on this computer, since 2 min' }), ...(made && run.result === 'succeeded' ? { kubernetes: kubernetesOf(world, cluster) } : {}) } }
}

function eventRows(run, query) {
  const types = query.get('type')?.split(',')
  const after = Number(query.get('after') ?? 0)
  return run.events.filter((event) => event.seq > after && (!types || types.includes(event.type)) && (!query.get('host') || event.host === query.get('host')) && (!query.get('step') || event.step === query.get('step')))
}

function events({ world, parameters, request, response, query }) {
  const run = runOf(world, parameters)
  if (!request.headers.accept?.includes('text/event-stream')) return paged(eventRows(run, query), query)
  const after = Number(request.headers['last-event-id'] ?? query.get('after') ?? 0)
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  let sent = 0
  const write = (event) => {
    if (cut) return
    if (event === undefined) return void response.end('event: end\ndata: {}\n\n')
    response.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    if (world.options.cutEvery && ++sent === world.options.cutEvery) cutSoon()
  }
  let cut = false
  const cutSoon = () => {
    cut = true
    setTimeout(() => response.destroy(), 30) // what was written must get out first
  }
  response.write(': hello\n\n')
  for (const event of run.events) if (event.seq > after) write(event)
  if (run.result) return void write(undefined)
  run.subscribers.add(write)
  response.on('close', () => run.subscribers.delete(write))
  return undefined
}

function control(what) {
  return ({ world, parameters, body }) => {
    const run = runOf(world, parameters)
    const target = body.json.target ?? ''
    if (what === 'retry') {
      const ended = run.result !== ''
      run.again(target)
      return ended ? { status: 202, json: { cluster: run.cluster, run: run.id } } : { json: { answer: `${target || 'everything that failed'} is tried again` } }
    }
    if (run.result) throw new Problem(409, 'RUN-OVER', 'the run has ended', { remedy: 'resume it' })
    if (what === 'skip') run.skip(target)
    else if (what === 'continue') run.go()
    else run[what]()
    return { json: { answer: `${what}: done` } }
  }
}

function resume({ world, parameters }) {
  const run = runOf(world, { name: parameters.name, run: 'last' })
  run.again('')
  return { status: 202, json: { cluster: run.cluster, run: run.id } }
}

function reset({ world, parameters, body }) {
  const cluster = clusterOf(world, parameters.name)
  if (body.json.confirm !== cluster.name) throw new Problem(422, 'RESET-CONFIRM', 'the name is another', { remedy: `type ${cluster.name}` })
  const plan = cluster.runs.at(-1).plan
  const undone = { ...plan, steps: plan.steps.map((step) => ({ ...step, change: 'remove', needs: [], changes: [{ verb: 'remove', what: step.step, detail: '' }] })) }
  return startRun(world, cluster.name, undone, 'reset', cluster.spec)
}

// ---- bundles

const bundleInfo = JSON.parse(readFileSync(new URL('fixtures/bundle.json', import.meta.url), 'utf8'))

const verified = JSON.parse(readFileSync(new URL('fixtures/verify.json', import.meta.url), 'utf8'))

function bundleOf(world, name) {
  const bundle = world.bundles.get(name)
  if (!bundle) throw new Problem(404, 'BUNDLE-UNKNOWN', `there is no bundle ${name}`)
  return bundle
}

const bundleRow = ({ name, size, modified, received }) => ({ name, size, modified, ...(received === size ? { state: 'whole' } : { state: 'uploading', received }) })

function beginBundle({ world, body }) {
  const { name, size } = body.json
  if (!/^[\w.-]+\.bundle$/.test(name ?? '')) throw new Problem(422, 'BUNDLE-NAME', `"${name}" is no name of a bundle`, { remedy: 'name the file SOMETHING.bundle' })
  if (world.bundles.has(name)) throw new Problem(409, 'BUNDLE-EXISTS', `there is a bundle ${name} already`, { remedy: 'delete it first' })
  world.bundles.set(name, { name, size, received: 0, modified: new Date().toISOString() })
  return { status: 201, json: { name, received: 0 } }
}

function patchBundle({ world, parameters, body, request, response }) {
  const bundle = bundleOf(world, parameters.name)
  if (world.options.cutUpload && bundle.received > 0) {
    return void response.destroy()
  }
  const [, from, to] = /^bytes (\d+)-(\d+)\/\d+$/.exec(request.headers['content-range'] ?? '') ?? []
  if (Number(from) !== bundle.received) throw new Problem(409, 'BUNDLE-OFFSET', `the server has ${bundle.received} bytes`, { received: bundle.received })
  if (body.bytes.length !== Number(to) - Number(from) + 1) throw new Problem(400, 'API-RANGE', 'the range is not as long as the body')
  bundle.received += body.bytes.length
  return { json: { received: bundle.received } }
}

function getBundle({ world, parameters }) {
  const bundle = bundleOf(world, parameters.name)
  if (bundle.received < bundle.size) return { json: { name: bundle.name, size: bundle.size, received: bundle.received } }
  return { json: { ...bundleInfo, name: bundle.name, fileSize: bundle.size, path: `bundles/${bundle.name}` } }
}

export const routes = [
  ['GET', '/session', '-', ({ world, session }) => ({ json: sessionBody(world, session) })],
  ['POST', '/unlock', '-', unlock],
  ['POST', '/session', '-', signIn],
  ['DELETE', '/session', 'viewer', ({ world, session }) => (world.sessions.delete(session.id), { status: 204 })],
  ['PUT', '/password', 'admin', changePassword],
  ['GET', '/tokens', 'admin', ({ world, query }) => paged(world.tokens, query)],
  ['POST', '/tokens', 'admin', makeToken],
  ['DELETE', '/tokens/{id}', 'admin', ({ world, parameters }) => ((world.tokens = world.tokens.filter((each) => each.id !== parameters.id)), { status: 204 })],
  ['GET', '/audit', 'admin', ({ world, query }) => {
    const answer = paged([...world.audit].reverse(), query)
    if (query.get('verify') === 'true') answer.json.chain = 'whole'
    return answer
  }],
  ['GET', '/settings', 'viewer', () => ({ json: { listen: '127.0.0.1:8443', publicNames: ['localhost'], state: '/var/lib/slipway', version: kVersion, program: '/usr/bin/slipway' } })],

  ['GET', '/schema', 'viewer', () => ({ json: schema })],
  ['GET', '/steps', 'viewer', () => ({ json: { steps } })],
  ['POST', '/scan', 'admin', ({ world, body }) => {
    const { network, port = 22 } = body.json
    const match = /^(\d+\.\d+\.\d+)\.\d+\/(\d+)$/.exec(network ?? '')
    if (!match || Number(match[2]) < 22) throw new Problem(422, 'SERVER-BAD-REQUEST', "'network' is no network that can be scanned")
    const hosts = [11, 21, 30, 31].map((last) => ({ address: `${match[1]}.${last}`, server: 'SSH-2.0-OpenSSH_9.2p1 Debian-2' }))
    return startJob(world, 'scan', undefined, () => ({ network, port, looked: 254, hosts }))
  }],
  ['GET', '/errors/{id}', 'viewer', ({ parameters }) => ({ json: { id: parameters.id, summary: 'What went wrong.', cause: 'why it does', remedy: 'what to do' } })],

  ['GET', '/specs', 'viewer', ({ world, query }) => paged([...world.specs.values()].map((draft) => ({ name: draft.name, etag: draft.etag, updated: draft.updated, valid: valid(draft.problems), hosts: hostsOf(draft).length, ...(world.clusters.has(draft.spec.metadata?.name) ? { cluster: draft.spec.metadata.name } : {}) })), query)],
  ['GET', '/specs/{name}', 'viewer', ({ world, parameters }) => {
    const draft = draftOf(world, parameters.name)
    return { json: draftJson(draft), headers: { ETag: draft.etag } }
  }],
  ['PUT', '/specs/{name}', 'operator', putDraft],
  ['DELETE', '/specs/{name}', 'operator', ({ world, parameters }) => (world.specs.delete(parameters.name), { status: 204 })],
  ['POST', '/validate', 'viewer', ({ body }) => {
    const { problems, spec, effective } = examine(body.json)
    return { json: { valid: valid(problems), problems, spec, ...(effective ? { effective } : {}) } }
  }],
  ['GET', '/specs/{name}/secrets', 'operator', ({ world, parameters, query }) => paged(secretPaths(draftOf(world, parameters.name).spec).map((path) => ({ path, kept: kept(world, parameters.name).has(path) })), query)],
  ['PUT', '/specs/{name}/secrets/{path}', 'operator', ({ world, parameters }) => (kept(world, parameters.name).add(parameters.path), { status: 204 })],
  ['DELETE', '/specs/{name}/secrets/{path}', 'operator', ({ world, parameters }) => (kept(world, parameters.name).delete(parameters.path), { status: 204 })],
  ['POST', '/specs/{name}/hosts/keys', 'operator', keysJob],
  ['POST', '/specs/{name}/hosts/trust', 'operator', trustJob],
  ['POST', '/specs/{name}/preflight', 'operator', ({ world, parameters, body }) => {
    const draft = requireValid(draftOf(world, parameters.name))
    const missing = secretPaths(draft.spec).filter((path) => !kept(world, draft.name).has(path))
    if (missing.length > 0) return startJob(world, 'preflight', draft.name, () => { throw new Problem(422, 'SECRETS-MISSING', missing.join('; ')) })
    return startJob(world, 'preflight', draft.name, () => preflightOf(draft.spec, { trusted: world.trusted, ignore: body.json.ignore, unreachable }))
  }],
  ['POST', '/specs/{name}/plan', 'operator', planJob],
  ['POST', '/specs/{name}/apply', 'operator', apply],
  ['POST', '/convert', 'viewer', convert],

  ['GET', '/jobs/{id}', 'viewer', getJob],
  ['DELETE', '/jobs/{id}', 'operator', ({ world, parameters }) => (Object.assign(world.jobs.get(parameters.id) ?? {}, { state: 'cancelled' }), { status: 204 })],

  ['GET', '/clusters', 'viewer', ({ world, query }) => paged([...world.clusters.values()].map(clusterSummary), query)],
  ['GET', '/clusters/{name}', 'viewer', clusterStatus],
  ['GET', '/clusters/{name}/kubeconfig', 'admin', ({ world, parameters }) => (clusterOf(world, parameters.name), { text: 'apiVersion: v1\nkind: Config\n', headers: { 'Content-Type': 'application/yaml', 'Content-Disposition': 'attachment; filename="kubeconfig"' } })],
  ['GET', '/clusters/{name}/runs', 'viewer', ({ world, parameters, query }) => paged(clusterOf(world, parameters.name).runs.map((run) => run.row()).reverse(), query)],
  ['GET', '/clusters/{name}/runs/{run}', 'viewer', ({ world, parameters }) => ({ json: runOf(world, parameters).show() })],
  ['GET', '/clusters/{name}/runs/{run}/gantt', 'viewer', () => ({ text: '<svg xmlns="http://www.w3.org/2000/svg"/>', headers: { 'Content-Type': 'image/svg+xml' } })],
  ['GET', '/clusters/{name}/runs/{run}/events', 'viewer', events],
  ['GET', '/clusters/{name}/runs/{run}/logs', 'viewer', ({ world, parameters, query, request }) => {
    const lines = runOf(world, parameters).logs(Object.fromEntries(query))
    if (request.headers.accept?.includes('text/plain')) return { text: lines.map((each) => each.line).join('\n') + '\n', headers: { 'Content-Type': 'text/plain; charset=utf-8' } }
    return paged(lines, query)
  }],
  ...['pause', 'continue', 'cancel', 'retry', 'skip'].map((what) => ['POST', `/clusters/{name}/runs/{run}/${what}`, 'operator', control(what)]),
  ['POST', '/clusters/{name}/resume', 'operator', resume],
  ['POST', '/clusters/{name}/reset', 'admin', reset],
  ['GET', '/clusters/{name}/support', 'operator', () => ({ text: 'support', headers: { 'Content-Type': 'application/gzip', 'Content-Disposition': 'attachment; filename="support.tar.gz"' } })],

  ['GET', '/bundles', 'viewer', ({ world, query }) => paged([...world.bundles.values()].map(bundleRow), query)],
  ['POST', '/bundles', 'operator', beginBundle],
  ['GET', '/bundles/{name}', 'viewer', getBundle],
  ['PATCH', '/bundles/{name}', 'operator', patchBundle],
  ['DELETE', '/bundles/{name}', 'operator', ({ world, parameters }) => (world.bundles.delete(parameters.name), { status: 204 })],
  ['POST', '/bundles/{name}/verify', 'operator', ({ world, parameters }) => startJob(world, 'verify', undefined, () => (bundleOf(world, parameters.name), verified))],
]
