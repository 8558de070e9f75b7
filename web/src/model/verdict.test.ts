import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Check } from '../api/types'
import { summaryOf, verdictOf } from './verdict'

// Answers the program gave of a healthy simulated host.
const healthy = (JSON.parse(readFileSync('mock/fixtures/checks.json', 'utf8')) as { checks: Check[] }).checks.filter((check) => check.host)
const failed = (id: string, severity: 'error' | 'warning' = 'error'): Check => ({ id, host: 'w1', result: 'failed', severity, ignored: false, seen: 's', wanted: 'w', remedy: 'r' })

it('is ready when every check passed', () => {
  const verdict = verdictOf({ key: { host: 'w1', state: 'known' }, checks: healthy })
  expect(Object.values(verdict.links)).toEqual(Array(6).fill('passed'))
  expect(summaryOf(verdict)).toBe('ready')
})

it('stops at the first link that does not hold', () => {
  const verdict = verdictOf({ checks: [failed('HOST-LOGIN')] })
  expect(verdict.links).toEqual({ reachable: 'passed', key: 'passed', login: 'failed', sudo: 'unknown', facts: 'unknown', checks: 'unknown' })
  expect(verdict.findings[0]?.remedy).toBe('r')
})

it('asks for a key to be confirmed, and refuses a changed one', () => {
  expect(summaryOf(verdictOf({ key: { host: 'w1', state: 'new', fingerprint: 'SHA256:x' } }))).toBe('needs-trust')
  expect(summaryOf(verdictOf({ key: { host: 'w1', state: 'changed', message: 'm', remedy: 'r' } }))).toBe('failed')
  expect(summaryOf(verdictOf({ key: { host: 'w1', state: 'revoked' } }))).toBe('failed')
  expect(summaryOf(verdictOf({ key: { host: 'w1', state: 'unreachable', message: 'm' } }))).toBe('unreachable')
})

it('tells warnings from failures, and lets ignored ones pass', () => {
  expect(summaryOf(verdictOf({ checks: [...healthy, failed('HOST-MEMORY-AVAILABLE', 'warning')] }))).toBe('warning')
  expect(summaryOf(verdictOf({ checks: [...healthy, failed('NET-PORT-API')] }))).toBe('failed')
  expect(summaryOf(verdictOf({ checks: [...healthy, { ...failed('NET-PORT-API'), ignored: true }] }))).toBe('ready')
})

it('names first what stops an apply', () => {
  const { findings } = verdictOf({ checks: [{ ...failed('A'), ignored: true }, failed('B', 'warning'), failed('C'), failed('D')] })
  expect(findings.map(({ id }) => id)).toEqual(['C', 'D', 'B', 'A'])
})

it('shows where it is while it is being looked at', () => {
  expect(verdictOf({ running: true }).links.reachable).toBe('running')
  expect(verdictOf({ key: { host: 'w1', state: 'known' }, running: true }).links.login).toBe('running')
  expect(summaryOf(verdictOf({ key: { host: 'w1', state: 'new' }, running: true }))).toBe('needs-trust')
})
