// What is known of a host before anything is changed, as a chain: each link needs the one before.
import type { Check, HostKey } from '../api/types'

export const kLinks = ['reachable', 'key', 'login', 'sudo', 'facts', 'checks'] as const
export type Link = (typeof kLinks)[number]
export type LinkState = 'unknown' | 'running' | 'passed' | 'warning' | 'failed' | 'todo'

export interface Finding {
  id: string
  severity: 'error' | 'warning'
  seen: string
  wanted: string
  remedy: string
  ignored: boolean
}

export interface Verdict {
  links: Record<Link, LinkState>
  findings: Finding[]
  fingerprint?: string
}

const kLinkOf: Record<string, Link> = {
  'HOST-UNREACHABLE': 'reachable',
  'HOST-KEY': 'key',
  'HOST-LOGIN': 'login',
  'HOST-ROOT': 'sudo',
  'HOST-REQUIRETTY': 'sudo',
}

// What a person may overrule: not what stands between Slipway and the host at all.
export function mayIgnore({ id, severity, ignored }: Finding): boolean {
  return severity === 'error' && !ignored && !(id in kLinkOf)
}

export interface Known {
  key?: HostKey
  checks?: Check[]
  running?: boolean
}

export function verdictOf({ key, checks, running }: Known): Verdict {
  const links = Object.fromEntries(kLinks.map((link) => [link, 'unknown'])) as Record<Link, LinkState>
  const verdict: Verdict = { links, findings: [], fingerprint: key?.fingerprint }
  if (key) applyKey(verdict, key)
  if (checks && checks.length > 0) applyChecks(verdict, checks)
  if (running) markRunning(links)
  return verdict
}

function applyKey({ links, findings }: Verdict, key: HostKey) {
  const finding = (id: string) => findings.push({ id, severity: 'error', seen: key.message ?? '', wanted: '', remedy: key.remedy ?? '', ignored: false })
  if (key.state === 'unreachable') {
    links.reachable = 'failed'
    finding('HOST-UNREACHABLE')
    return
  }
  links.reachable = 'passed'
  links.key = key.state === 'known' ? 'passed' : key.state === 'new' ? 'todo' : 'failed'
  if (links.key === 'failed') finding('HOST-KEY')
}

function applyChecks(verdict: Verdict, checks: Check[]) {
  const bad = checks.filter((check) => check.result !== 'passed')
  const broken = kLinks.findIndex((link) => bad.some((check) => kLinkOf[check.id] === link && check.severity === 'error'))
  const reached = broken < 0 ? kLinks.length - 1 : broken
  kLinks.forEach((link, at) => {
    if (at < reached) verdict.links[link] = 'passed'
    else if (at > reached) verdict.links[link] = 'unknown'
  })
  const rest = bad.filter((check) => !check.ignored)
  if (broken >= 0) verdict.links[kLinks[broken]!] = kLinks[broken] === 'key' ? 'todo' : 'failed'
  else verdict.links.checks = rest.some((check) => check.severity === 'error') ? 'failed' : rest.length > 0 ? 'warning' : 'passed'
  verdict.findings = bad.map(({ id, severity, seen, wanted, remedy, ignored }) => ({ id, severity, seen, wanted, remedy, ignored })).sort((a, b) => weight(a) - weight(b))
}

// What stops an apply comes first.
const weight = ({ severity, ignored }: Finding) => (ignored ? 2 : severity === 'error' ? 0 : 1)

function markRunning(links: Record<Link, LinkState>) {
  const first = kLinks.find((link) => links[link] === 'unknown')
  if (first && !kLinks.some((link) => links[link] === 'failed' || links[link] === 'todo')) links[first] = 'running'
}

export type Summary = 'unknown' | 'checking' | 'unreachable' | 'needs-trust' | 'failed' | 'warning' | 'ready'

export function summaryOf({ links }: Verdict): Summary {
  const states = Object.values(links)
  if (links.reachable === 'failed') return 'unreachable'
  if (links.key === 'todo') return 'needs-trust'
  if (states.includes('failed')) return 'failed'
  if (states.includes('running')) return 'checking'
  if (links.checks === 'warning') return 'warning'
  return links.checks === 'passed' ? 'ready' : 'unknown'
}
