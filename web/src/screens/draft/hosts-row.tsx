import type { SpecProblem } from '../../api/types'
import { useT, type Key, type Translate } from '../../i18n'
import { plainText } from '../../model/ansi'
import { kRoles, type HostRole } from '../../model/hostlist'
import type { Host } from '../../model/spec'
import { kLinks, mayIgnore, summaryOf, type Finding, type Link, type LinkState, type Verdict } from '../../model/verdict'
import { Badge, Button, cx, FieldProblems } from '../../ui/basic'
import { Remedy, What } from '../../ui/remedy'
import { SummaryBadge } from './hosts-step'

interface HostRowProps {
  host: Host
  problems: SpecProblem[]
  verdict: Verdict
  selected: boolean
  expanded: boolean
  onSelect: (on: boolean) => void
  onExpand: () => void
  update: (fields: Partial<Host>) => void
  login: () => void
  more: () => void
  ignore: (id: string) => void
}

export const kRoleLetters: Record<HostRole, string> = { 'control-plane': 'C', etcd: 'E', worker: 'W', registry: 'R' }

export function HostRow({ host, problems, verdict, selected, expanded, onSelect, onExpand, update, login, more, ignore }: HostRowProps) {
  const t = useT()
  const bad = (field: string) => problems.some((problem) => problem.path.endsWith(`.${field}`) || problem.path.includes(`.${field}[`)) || undefined
  const label = (key: Key) => `${host.name}: ${t(key)}`
  return (
    <>
      <div className={cx('host-row', selected && 'chosen')} role="presentation">
        <div role="cell">
          <input type="checkbox" aria-label={label('hosts.select')} checked={selected} onChange={(event) => onSelect(event.target.checked)} />
        </div>
        <div role="cell">
          <input className="cell-input" aria-label={label('column.name')} aria-invalid={bad('name')} value={host.name} onChange={(event) => update({ name: event.target.value })} />
        </div>
        <div role="cell">
          <input className="cell-input mono" aria-label={label('column.address')} aria-invalid={bad('address')} value={host.address} onChange={(event) => update({ address: event.target.value.trim() })} />
        </div>
        <div role="cell" className="roles">
          {kRoles.map((role) => (
            <button key={role} className={cx('role', host.roles.includes(role) && 'on')} aria-pressed={host.roles.includes(role)} aria-label={`${host.name}: ${role}`} title={role} onClick={() => update({ roles: toggled(host.roles, role) })}>
              {kRoleLetters[role]}
            </button>
          ))}
        </div>
        <div role="cell">
          <input className="cell-input" aria-label={label('column.user')} aria-invalid={bad('user')} placeholder="root" value={host.user ?? ''} onChange={(event) => update({ user: event.target.value || undefined })} />
        </div>
        <div role="cell">
          <input className="cell-input" aria-label={label('column.port')} aria-invalid={bad('port')} inputMode="numeric" placeholder="22" value={host.port ?? ''} onChange={(event) => update({ port: portOf(event.target.value) })} />
        </div>
        <div role="cell">
          <button className="link" aria-label={label('column.login')} onClick={login}>
            {loginWords(t, host)}
          </button>
        </div>
        <div role="cell" className="verdict">
          <Chain verdict={verdict} />
          <SummaryBadge summary={summaryOf(verdict)} />
          {problems.length > 0 && <Badge tone="bad">{t('draft.problems', { n: problems.length })}</Badge>}
          {(verdict.findings.length > 0 || problems.length > 0) && (
            <Button kind="quiet" aria-expanded={expanded} aria-label={label('hosts.details')} onClick={onExpand}>
              {expanded ? '▾' : '▸'} {t('hosts.why')}
            </Button>
          )}
          <Button kind="quiet" className="row-more" aria-label={label('host.more')} title={t('host.more')} onClick={more}>
            ⋯
          </Button>
        </div>
      </div>
      {expanded && (
        <div className="host-more" role="cell">
          <FieldProblems problems={problems} />
          {verdict.findings.map((finding) => (
            <OneFinding key={finding.id} finding={finding} ignore={mayIgnore(finding) ? () => ignore(finding.id) : undefined} />
          ))}
        </div>
      )}
    </>
  )
}

export function toggled(roles: string[], role: string): string[] {
  return roles.includes(role) ? roles.filter((each) => each !== role) : kRoles.filter((each) => each === role || roles.includes(each))
}

function portOf(text: string): number | undefined {
  const port = Number(text)
  return text === '' || !Number.isInteger(port) ? undefined : port
}

export function loginWords(t: Translate, host: Host): string {
  if (host.address === 'local') return t('login.local')
  if (host.password) return t(host.password.prompt ? 'login.password' : 'login.password-ref')
  if (host.key) return t(host.key.prompt ? 'login.key' : 'login.key-ref')
  return t('login.agent')
}

const kLinkWords: Record<Link, Key> = { reachable: 'link.reachable', key: 'link.key', login: 'link.login', sudo: 'link.sudo', facts: 'link.facts', checks: 'link.checks' }
const kStateWords: Record<LinkState, Key> = { unknown: 'link.unknown', running: 'link.running', passed: 'link.passed', warning: 'link.warning', failed: 'link.failed', todo: 'link.todo' }
const kStateGlyphs: Record<LinkState, string> = { unknown: '·', running: '▶', passed: '✓', warning: '!', failed: '✗', todo: '?' }

function Chain({ verdict }: { verdict: Verdict }) {
  const t = useT()
  const words = kLinks.map((link) => `${t(kLinkWords[link])}: ${t(kStateWords[verdict.links[link]])}`)
  return (
    <span className="chain" role="img" aria-label={words.join(', ')} title={words.join('\n')}>
      {kLinks.map((link) => (
        <span key={link} className={cx('link-state', verdict.links[link])} aria-hidden="true">
          {kStateGlyphs[verdict.links[link]]}
        </span>
      ))}
    </span>
  )
}

export function OneFinding({ finding, ignore }: { finding: Finding; ignore?: () => void }) {
  const t = useT()
  return (
    <div className="finding">
      <Badge tone={finding.ignored ? 'neutral' : finding.severity === 'error' ? 'bad' : 'warn'}>{finding.ignored ? t('host.ignored') : finding.id}</Badge>
      <div>
        <What id={finding.id} text={finding.seen} />
        {finding.wanted && (
          <div className="muted">
            {t('finding.wanted')} <span lang="en">{plainText(finding.wanted)}</span>
          </div>
        )}
        {finding.remedy && (
          <div>
            <b>{t('error.remedy')}</b> <Remedy id={finding.id} text={finding.remedy} />
          </div>
        )}
        {finding.ignored && <div className="muted mono">{finding.id}</div>}
      </div>
      {ignore && (
        <Button kind="quiet" aria-label={t('ignore.named', { id: finding.id })} onClick={ignore}>
          {t('ignore.button')}
        </Button>
      )}
    </div>
  )
}
