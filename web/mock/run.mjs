// A run that proceeds in time: nodes of a plan start when their needs are done, take a while, and
// say so by events of the recorded shapes.

const seconds = { 'pull-images': 9, 'install-packages': 6, 'serve-bundle': 8, 'install-container-runtime': 4, 'start-control-plane': 5, 'start-kubelet': 4, 'wait-for-api': 5, 'wait-for-cluster': 8, 'join-node': 6, 'start-etcd': 4 }
const kPerHost = 4

export class MockRun {
  constructor({ id, cluster, plan, kind = 'apply', speed = 1, faults = [], slow = [], stretch, now = Date.now }) {
    Object.assign(this, { id, cluster, plan, kind, speed, slow, stretch, now })
    this.faults = faults.map((fault) => ({ times: 1, ...fault }))
    this.started = now()
    this.events = []
    this.subscribers = new Set()
    this.nodes = new Map(plan.steps.map((step) => [step.id, { ...step, state: step.change === 'none' ? 'unchanged' : 'pending', attempt: 1 }]))
    this.paused = false
    this.result = ''
    this.setAside = new Set()
    const hosts = [...new Set(plan.steps.map((step) => step.host).filter(Boolean))]
    for (const host of hosts) this.emit('host.connected', 'info', { host, os: 'debian 12', kernel: '6.1.0-28-amd64', arch: 'amd64' })
    this.emit('run.started', 'info', { kind, plan: plan.hash, steps: this.nodes.size, hosts: hosts.length })
    for (const node of this.nodes.values()) if (node.state === 'unchanged') this.finish(node, 'unchanged', 0)
    this.progress()
    this.begin()
  }

  begin() {
    this.timer = setInterval(() => this.tick(), 60)
    this.timer.unref()
  }

  get state() {
    if (this.result) return this.result
    return this.paused ? 'paused' : 'running'
  }

  emit(type, level, fields = {}) {
    const { host, step, ...rest } = fields
    const event = { seq: this.events.length + 1, run: this.id, time: new Date(this.now()).toISOString(), type, level, ...(host ? { host } : {}), ...(step ? { step } : {}), ...rest }
    this.events.push(event)
    for (const subscriber of this.subscribers) subscriber(event)
    return event
  }

  counts() {
    const by = { done: 0, running: 0, changed: 0, unchanged: 0, failed: 0, skipped: 0 }
    for (const { state } of this.nodes.values()) {
      if (state === 'running') ++by.running
      if (['changed', 'unchanged', 'skipped', 'undone'].includes(state)) ++by.done
      if (state in by && state !== 'running') ++by[state]
    }
    return by
  }

  get percent() {
    return Math.round((1000 * this.counts().done) / this.nodes.size) / 10
  }

  progress() {
    const { done, running } = this.counts()
    const left = ((this.nodes.size - done) * 1.1) / this.speed
    this.emit('progress', 'debug', { percent: this.percent, done, total: this.nodes.size, running, 'seconds-left': left, 'seconds-left-low': left * 0.6, 'seconds-left-high': left * 1.6 })
  }

  ready(node) {
    return node.state === 'pending' && !this.setAside.has(node.host) && node.needs.every((need) => ['changed', 'unchanged', 'skipped', 'undone'].includes(this.nodes.get(need)?.state ?? 'changed'))
  }

  tick() {
    const now = this.now()
    let moved = false
    for (const node of this.nodes.values()) {
      if (node.state !== 'running') continue
      this.talk(node, now)
      if (now >= node.until) (moved = true), this.end(node)
    }
    if (!this.paused) moved = this.startReady(now) || moved
    if (moved) this.progress()
    if (!this.counts().running && ![...this.nodes.values()].some((node) => this.ready(node)) && !this.paused) this.over()
  }

  startReady(now) {
    const busy = new Map()
    for (const { state, host } of this.nodes.values()) if (state === 'running') busy.set(host, (busy.get(host) ?? 0) + 1)
    let moved = false
    for (const node of this.nodes.values()) {
      if (!this.ready(node) || (busy.get(node.host) ?? 0) >= kPerHost) continue
      busy.set(node.host, (busy.get(node.host) ?? 0) + 1)
      this.start(node, now)
      moved = true
    }
    return moved
  }

  start(node, now) {
    const slow = this.slow.includes(node.id)
    const jitter = 0.7 + (((node.id.length * 7919) % 100) / 100) * 0.6
    const took = this.stretch ?? (seconds[node.step] ?? 1.2) * jitter
    Object.assign(node, { state: 'running', since: now, until: now + (1000 * took * (slow ? 40 : 1)) / this.speed, said: 0, told: false })
    this.emit('step.started', 'info', { host: node.host, step: node.step, attempt: node.attempt, changes: node.changes.map((change) => `${change.verb} ${change.what}`) })
  }

  talk(node, now) {
    const lines = ['\u001b[1mreading the state of the host\u001b[0m', `working on ${node.step}`, 'written: 3 files, 12.4 MiB', 'waiting for the service to settle <b>0 of 1</b>', '\u001b[32mok\u001b[0m']
    const due = Math.floor(((now - node.since) / (node.until - node.since)) * lines.length)
    while (node.said < Math.min(due, lines.length)) {
      this.emit('log.line', 'debug', { host: node.host, step: node.step, stream: node.said % 4 === 3 ? 'stderr' : 'stdout', line: lines[node.said++] })
    }
    if (this.slow.includes(node.id) && !node.told && now - node.since > 1500 / this.speed) {
      node.told = true
      this.emit('step.slow', 'warning', { host: node.host, step: node.step, seconds: (now - node.since) / 1000, 'deadline-seconds': 900 })
    }
  }

  end(node) {
    const fault = this.faults.find((each) => each.node === node.id && each.times > 0)
    if (fault && fault.retries > 0) {
      --fault.retries
      this.emit('step.retrying', 'warning', { host: node.host, step: node.step, attempt: node.attempt, error: 'HOST-UNREACHABLE', message: `${node.host} cannot be reached: the link was reset`, 'wait-seconds': 0.4 })
      ++node.attempt
      return this.start(node, this.now())
    }
    if (!fault) return this.finish(node, this.kind === 'reset' ? 'undone' : 'changed', (this.now() - node.since) / 1000)
    --fault.times
    const error = { error: 'HOST-READ-ONLY', message: `${node.host}: /etc/sysctl.d/90-slipway.conf: read-only file system`, cause: 'the kernel has mounted the file system read-only after a disk error, or it is meant to be', remedy: 'look at dmesg on the host, repair or remount the file system (mount -o remount,rw /), then retry' }
    this.emit('log.line', 'debug', { host: node.host, step: node.step, stream: 'stderr', line: "sysctl: cannot write '/etc/sysctl.d/90-slipway.conf': Read-only file system" })
    this.finish(node, 'failed', (this.now() - node.since) / 1000, error)
    this.setAside.add(node.host)
    this.emit('host.set-aside', 'error', { host: node.host, error: error.error, message: error.message })
    return undefined
  }

  finish(node, outcome, took, more = {}) {
    node.state = outcome
    const after = node.needs.at(-1)
    this.emit('step.finished', outcome === 'failed' ? 'error' : 'info', { host: node.host, step: node.step, outcome, attempt: node.attempt, seconds: took, ...(after ? { after } : {}), ...more })
  }

  over() {
    const { failed, changed, unchanged, skipped } = this.counts()
    const blocked = [...this.nodes.values()].filter((node) => node.state === 'pending').length
    this.close(failed > 0 ? 'partial' : 'succeeded', { changed, unchanged, skipped, failed, blocked })
  }

  close(result, counts) {
    clearInterval(this.timer)
    this.progress()
    this.result = result
    this.finished = this.now()
    this.emit('run.finished', result === 'succeeded' ? 'info' : 'error', { result, ...counts, seconds: (this.finished - this.started) / 1000 })
    for (const subscriber of this.subscribers) subscriber(undefined)
  }

  // ---- what a person may ask

  pause() {
    this.paused = true
    this.emit('run.paused', 'info', { by: 'admin' })
  }
  go() {
    this.paused = false
    this.emit('run.continued', 'info', { by: 'admin' })
  }
  cancel() {
    this.emit('run.cancelling', 'warning', { by: 'admin' })
    for (const node of this.nodes.values()) if (node.state === 'running') this.finish(node, 'cancelled', (this.now() - node.since) / 1000)
    const { failed, changed, unchanged, skipped } = this.counts()
    this.close('cancelled', { changed, unchanged, skipped, failed, blocked: 0 })
  }
  matches(node, target) {
    return node.id === target || node.host === target || node.step === target
  }
  again(target) {
    for (const node of this.nodes.values()) {
      if (!['failed', 'cancelled'].includes(node.state) || (target && !this.matches(node, target))) continue
      Object.assign(node, { state: 'pending', attempt: node.attempt + 1 })
      if (this.setAside.delete(node.host)) this.emit('host.returned', 'info', { host: node.host, by: 'admin' })
    }
    if (!this.result) return
    this.result = ''
    this.finished = undefined
    this.emit('run.resumed', 'info', { kind: this.kind, plan: this.plan.hash, steps: this.nodes.size, hosts: 0, done: this.counts().done })
    this.begin()
  }
  skip(target) {
    for (const node of this.nodes.values()) {
      if (!this.matches(node, target) || !['failed', 'pending'].includes(node.state)) continue
      this.setAside.delete(node.host)
      this.finish(node, 'skipped', 0)
    }
  }

  hostCounts() {
    const hosts = new Map()
    for (const { host, state } of this.nodes.values()) {
      const row = hosts.get(host) ?? { name: host }
      const key = ['pending', 'running', 'cancelled'].includes(state) ? 'unfinished' : state
      if (state !== 'pending') row[key] = (row[key] ?? 0) + 1
      hosts.set(host, row)
    }
    return [...hosts.values()]
  }

  logs({ node, host, step, search }) {
    const [nodeHost, nodeStep] = node ? node.split('/') : []
    return this.events.filter((event) => event.type === 'log.line' && (!(nodeHost ?? host) || event.host === (nodeHost ?? host)) && (!(nodeStep ?? step) || event.step === (nodeStep ?? step)) && (!search || event.line.includes(search)))
      .map(({ seq, time, host: at, step: of, stream, line }) => ({ seq, time, host: at ?? '', step: of ?? '', stream, line }))
  }

  show() {
    const steps = []
    const open = new Map()
    for (const event of this.events) {
      const at = (Date.parse(event.time) - this.started) / 1000
      const key = `${event.host ?? ''}/${event.step ?? ''}`
      if (event.type === 'step.started' && !open.has(key)) open.set(key, at)
      if (event.type !== 'step.finished') continue
      const started = open.get(key) ?? at
      open.delete(key)
      steps.push({ host: event.host ?? '', step: event.step, outcome: event.outcome, ready: started, started, finished: at, seconds: at - started, after: event.after ?? '', critical: false })
    }
    const end = ((this.finished ?? this.now()) - this.started) / 1000
    return { cluster: this.cluster, run: this.id, kind: this.kind, result: this.state, started: new Date(this.started).toISOString(), seconds: end, criticalSeconds: end * 0.8, steps }
  }

  row() {
    return { run: this.id, kind: this.kind, result: this.state, started: new Date(this.started).toISOString(), sessions: 1, plan: this.plan.hash, ...(this.finished ? { finished: new Date(this.finished).toISOString(), seconds: (this.finished - this.started) / 1000 } : {}) }
  }
}
