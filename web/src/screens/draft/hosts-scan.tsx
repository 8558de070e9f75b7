// Machines of a network that answer on SSH, looked for when a person asks; taken over into the draft as rows.
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { ApiError, post } from '../../api/client'
import { awaitJob, cancelJob } from '../../api/jobs'
import type { Job, ScanResult } from '../../api/types'
import { useT } from '../../i18n'
import { plainText } from '../../model/ansi'
import { parseNetwork } from '../../model/cidr'
import { nameOf, type HostRole, type ParsedHost } from '../../model/hostlist'
import { Badge, Button, ErrorBanner, TextField } from '../../ui/basic'
import { Question } from '../../ui/dialog'
import { RoleBoxes } from './hosts-add'

interface ScanProps {
  addresses: string[] // in the draft already
  taken: string[] // names of them
  add: (hosts: ParsedHost[]) => void
  close: () => void
}

// As many as the server looks at.
export function fits(text: string): boolean {
  const network = parseNetwork(text)
  return network !== undefined && network.prefix >= (network.family === 4 ? 22 : 118)
}

export function ScanHosts({ addresses, taken, add, close }: ScanProps) {
  const t = useT()
  const [network, setNetwork] = useState('')
  const [port, setPort] = useState('22')
  const [roles, setRoles] = useState<HostRole[]>(['worker'])
  const [job, setJob] = useState<Job<ScanResult>>()
  const [left, setLeft] = useState<Set<string>>(new Set())
  const [error, setError] = useState<unknown>()
  const gone = useRef(new AbortController())
  const running = useRef<string>(undefined)
  useEffect(() => {
    gone.current = new AbortController()
    return () => {
      gone.current.abort()
      if (running.current) void cancelJob(running.current).catch(() => {})
    }
  }, [])
  const known = new Set(addresses)
  const found = job?.result?.hosts ?? []
  const fresh = found.filter(({ address }) => !known.has(address))
  const chosen = fresh.filter(({ address }) => !left.has(address))
  const busy = job?.state === 'running'
  const scan = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      const begun = await post<Job<ScanResult>>('/scan', { network, port: Number(port) })
      running.current = begun.id
      setJob(begun)
      const ended = await awaitJob<ScanResult>(begun.id, setJob, gone.current.signal)
      if (ended.problem) throw new ApiError(ended.problem)
    } catch (failure) {
      if (!gone.current.signal.aborted) setError(failure)
    }
    running.current = undefined
  }
  const submit = () => {
    const names = new Set(taken)
    const scanned = job!.result!.port
    add(
      chosen.map(({ address }) => {
        let name = nameOf(address)
        for (let n = 2; names.has(name); ++n) name = `${nameOf(address)}-${n}`
        names.add(name)
        return { name, address, roles, ...(scanned === 22 ? {} : { port: scanned }) }
      }),
    )
    close()
  }
  return (
    <Question
      onClose={close}
      wide
      title={t('scan.title')}
      disabled={busy || chosen.length === 0 || roles.length === 0}
      yes={t('add.submit', { n: chosen.length })}
      onYes={submit}
    >
      <p>{t('scan.text')}</p>
      <form className="row top" onSubmit={(event) => void scan(event)}>
        <TextField label={t('network.network')} help={t('scan.network-help')} className="mono" placeholder="10.0.0.0/24" value={network} aria-invalid={(network !== '' && !fits(network)) || undefined} onChange={(event) => setNetwork(event.target.value.trim())} />
        <TextField label={t('column.port')} inputMode="numeric" value={port} onChange={(event) => setPort(event.target.value.trim())} />
        <Button type="submit" className="beside-field" busy={busy} disabled={!fits(network) || !(Number(port) >= 1 && Number(port) <= 65535)}>
          {t(busy ? 'scan.busy' : 'scan.button')}
        </Button>
      </form>
      <ErrorBanner error={error} />
      <div role="status">
        {busy && job.lines.length > 0 && <p className="muted">{plainText(job.lines.at(-1)!)}</p>}
        {job?.result && <p>{t('scan.found', { n: found.length, looked: job.result.looked })}</p>}
      </div>
      {found.length > 0 && (
        <>
          <RoleBoxes legend={t('add.roles-all')} roles={roles} setRoles={setRoles} />
          <ul className="plain-list scan-list">
            {found.map(({ address, server }) => (
              <li key={address}>
                <label className="check">
                  <input
                    type="checkbox"
                    disabled={known.has(address)}
                    checked={!known.has(address) && !left.has(address)}
                    onChange={(event) => setLeft((before) => (event.target.checked ? new Set([...before].filter((each) => each !== address)) : new Set([...before, address])))}
                  />{' '}
                  <span className="mono">{address}</span> <span className="muted">{plainText(server)}</span> {known.has(address) && <Badge tone="neutral">{t('scan.there')}</Badge>}
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
    </Question>
  )
}
