// The hosts: one row each, with everything known about it; many at once by selecting.
import { useMemo, useState } from 'react'
import { useSecrets, useSession } from '../../api/queries'
import type { SpecProblem } from '../../api/types'
import { useT, type Key } from '../../i18n'
import type { ParsedHost } from '../../model/hostlist'
import { hostsOf, keepBastions, problemsAt, withHosts, type Host } from '../../model/spec'
import { mayIgnore, summaryOf, verdictOf, type Summary, type Verdict } from '../../model/verdict'
import { Badge, Banner, Button, Empty, ErrorBanner, FieldProblems, type Tone } from '../../ui/basic'
import { VirtualList } from '../../ui/virtual'
import { AddHosts } from './hosts-add'
import { BulkBar } from './hosts-bulk'
import { EditHosts } from './hosts-edit'
import { hostsInWant, LoginDialog, MissingSecrets } from './hosts-login'
import { HostMore } from './hosts-more'
import { HostRow, OneFinding } from './hosts-row'
import { ScanHosts } from './hosts-scan'
import { TrustDialog } from './hosts-trust'
import { IgnoreDialog, IgnoredChecks } from './ignore'
import { useChecks } from './use-checks'
import type { DraftHandle } from './use-draft'
import { useIgnored } from './use-ignored'
import { useRehearsal } from './use-rehearsal'

const kSummaryTones: Record<Summary, Tone> = { unknown: 'neutral', checking: 'busy', unreachable: 'bad', 'needs-trust': 'warn', failed: 'bad', warning: 'warn', ready: 'good' }
const kSummaryWords: Record<Summary, Key> = {
  unknown: 'host.unknown',
  checking: 'host.checking',
  unreachable: 'host.unreachable',
  'needs-trust': 'host.needs-trust',
  failed: 'host.failed',
  warning: 'host.warning',
  ready: 'host.ready',
}

export function SummaryBadge({ summary }: { summary: Summary }) {
  const t = useT()
  return <Badge tone={kSummaryTones[summary]}>{t(kSummaryWords[summary])}</Badge>
}

// Problems by the index of their host.
export function problemsByHost(problems: SpecProblem[]): Map<number, SpecProblem[]> {
  const by = new Map<number, SpecProblem[]>()
  for (const problem of problems) {
    const index = /^hosts\[(\d+)\]/.exec(problem.path)?.[1]
    if (index !== undefined) by.set(Number(index), [...(by.get(Number(index)) ?? []), problem])
  }
  return by
}

export function HostsStep({ name, handle }: { name: string; handle: DraftHandle }) {
  const t = useT()
  const role = useSession().data?.role
  const mayAct = role !== 'viewer'
  const ignored = useIgnored(name)
  const [doubted, setDoubted] = useState('')
  const secrets = useSecrets(name, handle.draft!.etag, mayAct)
  const inWant = useMemo(() => hostsInWant(secrets.data), [secrets.data])
  const [simulate, setSimulate] = useRehearsal(name)
  const checks = useChecks(name, handle, { mayAct, simulate, ignored: ignored.ids, inWant: simulate ? 0 : inWant.length })
  const hosts = useMemo(() => hostsOf(handle.spec), [handle.spec])
  const problems = useMemo(() => problemsByHost(handle.draft!.problems), [handle.draft])
  const [selected, setSelected] = useState<Set<number>>(new Set())
  const [expanded, setExpanded] = useState<Set<string>>(new Set())
  const [search, setSearch] = useState('')
  const [dialog, setDialog] = useState<'' | 'add' | 'scan' | 'trust' | 'edit' | 'more'>('')
  const [logins, setLogins] = useState<Set<number>>(new Set()) // whose login is asked for
  const verdicts = useMemo(
    () => hosts.map((host): Verdict => verdictOf({ key: simulate ? undefined : checks.keys.get(host.name), checks: checks.checks.get(host.name), running: checks.busy === 'keys' || checks.busy === 'preflight' })),
    [hosts, simulate, checks.keys, checks.checks, checks.busy],
  )
  const shown = useMemo(() => {
    const wanted = search.toLowerCase()
    return hosts.flatMap((host, i) => (!wanted || `${host.name} ${host.address} ${host.roles.join(' ')} ${summaryOf(verdicts[i]!)}`.toLowerCase().includes(wanted) ? [i] : []))
  }, [hosts, verdicts, search])
  const change = (next: (hosts: Host[]) => Host[]) => handle.edit((spec) => withHosts(spec, next(hostsOf(spec))))
  const update = (index: number, fields: Partial<Host>) => change((list) => list.map((host, i) => (i === index ? { ...host, ...fields } : host)))
  const updateMany = (which: Set<number>, next: (host: Host, at: number) => Host) => {
    change((list) => {
      let at = 0
      return keepBastions(list, list.map((host, i) => (which.has(i) ? next(host, at++) : host)))
    })
  }
  const updateSelected = (next: (host: Host, at: number) => Host) => updateMany(selected, next)
  const add = (parsed: ParsedHost[]) => change((list) => [...list, ...parsed.map((host): Host => ({ ...host, roles: host.roles ?? ['worker'] }))])
  const removeSelected = () => {
    change((list) => list.filter((_, i) => !selected.has(i)))
    setSelected(new Set())
  }
  const newKeys = hosts.flatMap((host) => {
    const key = checks.keys.get(host.name)
    return key && !simulate && ['new', 'changed', 'revoked'].includes(key.state) ? [key] : []
  })
  const toggle = (key: string) => setExpanded((before) => (before.has(key) ? new Set([...before].filter((each) => each !== key)) : new Set([...before, key])))
  const cluster = (checks.checks.get('') ?? []).filter((check) => check.result !== 'passed' && !check.ignored)
  return (
    <section className="step" aria-label={t('draft.hosts')}>
      <div className="toolbar">
        <Button kind="primary" onClick={() => setDialog('add')}>
          {t('hosts.add')}
        </Button>
        {role === 'admin' && <Button onClick={() => setDialog('scan')}>{t('hosts.scan')}</Button>}
        <input type="search" className="small" placeholder={t('search')} aria-label={t('search')} value={search} onChange={(event) => setSearch(event.target.value)} />
        <span className="muted number">{t('hosts.count', { n: hosts.length })}</span>
        <Counts verdicts={verdicts} />
        <label className="check">
          <input type="checkbox" checked={simulate} onChange={(event) => setSimulate(event.target.checked)} /> {t('hosts.simulate')}
        </label>
        <div className="actions">
          {newKeys.length > 0 && (
            <Button kind="primary" onClick={() => setDialog('trust')}>
              {t('hosts.confirm-keys', { n: newKeys.length })}
            </Button>
          )}
          <Button disabled={hosts.length === 0 || !mayAct} busy={checks.busy !== ''} onClick={() => void checks.lookAtKeys().then(() => checks.preflight())}>
            {t(checks.busy ? 'hosts.checking' : 'hosts.check')}
          </Button>
        </div>
      </div>
      <ErrorBanner error={checks.error} />
      <MissingSecrets hosts={inWant} give={() => setLogins(new Set(hosts.flatMap((host, i) => (inWant.includes(host.name) ? [i] : []))))} />
      <FieldProblems problems={problemsAt(handle.draft!.problems, ['hosts'])} />
      {cluster.length > 0 && (
        <Banner tone={cluster.some((check) => check.severity === 'error') ? 'bad' : 'warn'} title={t('hosts.together')}>
          {cluster.map((check) => (
            <OneFinding key={check.id} finding={check} ignore={mayIgnore(check) ? () => setDoubted(check.id) : undefined} />
          ))}
        </Banner>
      )}
      <IgnoredChecks ids={ignored.ids} take={mayAct ? ignored.take : undefined} />
      {selected.size > 0 && <BulkBar count={selected.size} update={updateSelected} remove={removeSelected} login={() => setLogins(selected)} edit={() => setDialog('edit')} clear={() => setSelected(new Set())} />}
      {hosts.length === 0 ? (
        <Empty>{t('hosts.none')}</Empty>
      ) : (
        <VirtualList
          className="virtual hosts"
          label={t('draft.hosts')}
          measured
          count={shown.length}
          size={37}
          keyOf={(i) => shown[i]!}
          header={<HostHead all={shown.length > 0 && shown.every((i) => selected.has(i))} onAll={(on) => setSelected(on ? new Set(shown) : new Set())} />}
          row={(at) => {
            const index = shown[at]!
            const host = hosts[index]!
            return (
              <HostRow
                host={host}
                problems={problems.get(index) ?? []}
                verdict={verdicts[index]!}
                selected={selected.has(index)}
                expanded={expanded.has(host.name)}
                onSelect={(on) => setSelected((before) => (on ? new Set([...before, index]) : new Set([...before].filter((each) => each !== index))))}
                onExpand={() => toggle(host.name)}
                update={(fields) => update(index, fields)}
                login={() => setLogins(new Set([index]))}
                ignore={setDoubted}
                more={() => {
                  setSelected(new Set([index]))
                  setDialog('more')
                }}
              />
            )
          }}
        />
      )}
      {dialog === 'add' && <AddHosts taken={hosts.map((host) => host.name)} add={add} close={() => setDialog('')} />}
      {dialog === 'scan' && <ScanHosts addresses={hosts.map((host) => host.address)} taken={hosts.map((host) => host.name)} add={add} close={() => setDialog('')} />}
      {dialog === 'edit' && <EditHosts hosts={hosts.filter((_, i) => selected.has(i))} others={hosts.filter((_, i) => !selected.has(i)).map((host) => host.name)} update={updateSelected} close={() => setDialog('')} />}
      {dialog === 'trust' && <TrustDialog keys={newKeys} hosts={hosts} trust={checks.trust} close={() => setDialog('')} />}
      {logins.size > 0 && <LoginDialog name={name} handle={handle} hosts={[...logins].map((i) => hosts[i]!)} update={(next) => updateMany(logins, next)} close={() => setLogins(new Set())} />}
      {doubted && <IgnoreDialog id={doubted} ignore={ignored.add} close={() => setDoubted('')} />}
      {dialog === 'more' && <HostMore handle={handle} index={[...selected][0]!} close={() => setDialog('')} />}
    </section>
  )
}

function Counts({ verdicts }: { verdicts: Verdict[] }) {
  const by = new Map<Summary, number>()
  for (const verdict of verdicts) {
    const summary = summaryOf(verdict)
    by.set(summary, (by.get(summary) ?? 0) + 1)
  }
  const order: Summary[] = ['ready', 'warning', 'needs-trust', 'failed', 'unreachable', 'checking']
  return (
    <span className="row">
      {order.flatMap((summary) =>
        by.has(summary)
          ? [
              <span key={summary} className="number">
                {by.get(summary)} <SummaryBadge summary={summary} />
              </span>,
            ]
          : [],
      )}
    </span>
  )
}

function HostHead({ all, onAll }: { all: boolean; onAll: (on: boolean) => void }) {
  const t = useT()
  return (
    <div className="host-row host-head" role="row">
      <div role="columnheader">
        <input type="checkbox" aria-label={t('hosts.select-all')} checked={all} onChange={(event) => onAll(event.target.checked)} />
      </div>
      {(['column.name', 'column.address', 'column.roles', 'column.user', 'column.port', 'column.login', 'column.verdict'] as Key[]).map((key) => (
        <div role="columnheader" key={key}>
          {t(key)}
        </div>
      ))}
    </div>
  )
}
