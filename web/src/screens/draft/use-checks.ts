// What is known of a draft's hosts: their keys, and the answers of preflight. Both are jobs of the
// server; their ids are remembered for as long as the tab lives, so that a reload shows them again.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError, post, segment } from '../../api/client'
import { awaitJob } from '../../api/jobs'
import type { Check, HostKey, Job, KeysResult, PreflightResult } from '../../api/types'
import { errorsOf, hostsOf, problemsBelow, type Host } from '../../model/spec'
import type { DraftHandle } from './use-draft'

const kAutomaticallyUpTo = 50
const kPause = 700

// What a host's key and login depend on: another one asks anew.
const signature = (host: Host) => JSON.stringify([host.name, host.address, host.port, host.bastion])

export interface Checks {
  keys: Map<string, HostKey>
  checks: Map<string, Check[]>
  passed?: boolean
  busy: '' | 'keys' | 'trust' | 'preflight'
  lines: string[]
  error?: unknown
  lookAtKeys: () => Promise<void>
  trust: (keys: { host: string; fingerprint: string }[]) => Promise<void>
  preflight: () => Promise<void>
}

export interface ChecksOptions {
  mayAct: boolean
  simulate: boolean // such hosts have no keys: they are only checked
  ignored: string[]
  inWant: number // hosts whose secrets are missing
}

export function useChecks(name: string, handle: DraftHandle, { mayAct, simulate, ignored, inWant }: ChecksOptions): Checks {
  const [keys, setKeys] = useState<Map<string, HostKey>>(new Map())
  const [result, setResult] = useState<PreflightResult>()
  const [busy, setBusy] = useState<Checks['busy']>('')
  const [lines, setLines] = useState<string[]>([])
  const [error, setError] = useState<unknown>()
  const asked = useRef(new Map<string, string>())
  const going = useRef(false)
  const gone = useRef(new AbortController())
  useEffect(() => {
    gone.current = new AbortController()
    return () => gone.current.abort()
  }, [])

  const run = useCallback(
    async <T>(kind: Exclude<Checks['busy'], ''>, start: () => Promise<Job<T>>): Promise<T | undefined> => {
      going.current = true
      setBusy(kind)
      setError(undefined)
      try {
        const job = await start()
        sessionStorage.setItem(`slipway.${kind}.${name}`, job.id)
        const ended = await awaitJob<T>(job.id, (now) => setLines(now.lines), gone.current.signal)
        if (ended.problem) throw new ApiError(ended.problem)
        return ended.result
      } catch (failure) {
        if (!gone.current.signal.aborted) setError(failure)
        return undefined
      } finally {
        going.current = false
        setBusy('')
      }
    },
    [name],
  )

  const takeKeys = (found: KeysResult) => setKeys((before) => new Map([...before, ...found.hosts.map((key): [string, HostKey] => [key.host, key])]))
  const at = `/specs/${segment(name)}`

  const preflight = useCallback(async () => {
    await handle.flush()
    const found = await run<PreflightResult>('preflight', () => post(`${at}/preflight`, { ...(simulate && { simulate }), ...(ignored.length > 0 && { ignore: ignored }) }))
    if (found) setResult(found)
  }, [handle, run, at, simulate, ignored])

  const lookAtKeys = useCallback(
    async (only?: string[]) => {
      if (simulate) return
      await handle.flush()
      const found = await run<KeysResult>('keys', () => post(`${at}/hosts/keys`, only ? { hosts: only } : {}))
      if (found) takeKeys(found)
    },
    [handle, run, at, simulate],
  )

  const trust = useCallback(
    async (accepted: { host: string; fingerprint: string }[]) => {
      const done = await run<unknown>('trust', () => post<Job>(`${at}/hosts/trust`, { keys: accepted }))
      if (done !== undefined) await lookAtKeys(accepted.map((key) => key.host))
    },
    [run, at, lookAtKeys],
  )

  const hosts = useMemo(() => hostsOf(handle.spec), [handle.spec])

  // Answers of simulated hosts say nothing of others, nor the other way round.
  const askedOf = useRef(simulate)
  useEffect(() => {
    if (askedOf.current === simulate) return
    askedOf.current = simulate
    sessionStorage.removeItem(`slipway.preflight.${name}`)
    setResult(undefined)
  }, [simulate, name])

  // Jobs of before a reload.
  useEffect(() => {
    const again = async <T>(kind: string, take: (found: T) => void) => {
      const id = sessionStorage.getItem(`slipway.${kind}.${name}`)
      if (!id) return
      try {
        const job = await awaitJob<T>(id, () => {}, gone.current.signal)
        if (job.result) take(job.result)
      } catch {
        sessionStorage.removeItem(`slipway.${kind}.${name}`)
      }
    }
    void again<PreflightResult>('preflight', setResult)
  }, [name])

  // Hosts that are new or have moved are looked at by themselves.
  const ready = handle.save === 'saved' && mayAct
  const problems = handle.draft?.problems
  useEffect(() => {
    if (!ready || !problems || simulate) return
    const timer = setTimeout(() => {
      if (going.current) return
      const fresh = hosts.filter((host, i) => host.address && problemsBelow(errorsOf(problems), `hosts[${i}]`).length === 0 && asked.current.get(host.name) !== signature(host))
      if (fresh.length === 0) return
      for (const host of fresh) asked.current.set(host.name, signature(host))
      void lookAtKeys(fresh.map((host) => host.name))
    }, kPause)
    return () => clearTimeout(timer)
  }, [ready, problems, hosts, busy, lookAtKeys, simulate])

  // Once every key is known, so can be the rest.
  const allKnown = hosts.length > 0 && (simulate || hosts.every((host) => keys.get(host.name)?.state === 'known'))
  const checkedAs = useRef('')
  const whole = `${handle.draft?.etag ?? ''} ${simulate} ${ignored.join()}`
  useEffect(() => {
    if (!ready || !allKnown || busy || inWant > 0 || errorsOf(problems ?? []).length > 0) return
    if (hosts.length > kAutomaticallyUpTo || checkedAs.current === whole) return
    checkedAs.current = whole
    void preflight()
  }, [ready, allKnown, busy, inWant, problems, hosts.length, whole, preflight])

  const checks = useMemo(() => {
    const by = new Map<string, Check[]>()
    for (const check of result?.checks ?? []) by.set(check.host, [...(by.get(check.host) ?? []), check])
    return by
  }, [result])

  return { keys, checks, passed: result?.passed, busy, lines, error, lookAtKeys: () => lookAtKeys(), trust, preflight }
}
