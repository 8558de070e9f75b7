// What a plan would do, host by host.
import { useMemo, useState } from 'react'
import type { PlanResult, PlanStep } from '../../api/types'
import { useT, type Key } from '../../i18n'
import { plainText } from '../../model/ansi'
import { byHost } from '../../model/run'
import { Banner, cx } from '../../ui/basic'

const kSigns: Record<string, string> = { create: '+', change: '~', remove: '−', run: '>', unknown: '?', skip: 's', delegate: 'd', none: '=' }
const kVerbs: Record<string, Key> = { create: 'plan.create', change: 'plan.change', remove: 'plan.remove', run: 'plan.run', unknown: 'plan.unknown', skip: 'plan.skip', delegate: 'plan.delegate', none: 'plan.none' }

const kReasons: Record<string, Key> = { drift: 'reason.drift', 'inputs changed': 'reason.inputs', undone: 'reason.undone', 'not finished': 'reason.unfinished' }

function Sign({ verb }: { verb: string }) {
  const t = useT()
  const word = kVerbs[verb]
  return (
    <span className={cx('sign', verb)}>
      <span aria-hidden="true">{kSigns[verb] ?? '?'}</span>
      <span className="sr">{word ? t(word) : verb}</span>
    </span>
  )
}

export function PlanView({ plan }: { plan: PlanResult }) {
  const t = useT()
  const [all, setAll] = useState(false)
  const hosts = useMemo(() => {
    const by = new Map<string, PlanStep[]>()
    for (const step of plan.steps) by.set(step.host, [...(by.get(step.host) ?? []), step])
    return [...by].sort(([a], [b]) => byHost(a, b))
  }, [plan])
  const changing = hosts.flatMap(([host, steps]) => (steps.some((step) => step.change !== 'none') ? [host] : []))
  const counts = new Map<string, number>()
  for (const step of plan.steps) counts.set(step.change, (counts.get(step.change) ?? 0) + 1)
  return (
    <div>
      <div className="toolbar">
        {[...counts].map(([verb, n]) => (
          <span key={verb} className="number">
            <Sign verb={verb} /> {n} {kVerbs[verb] ? t(kVerbs[verb]!) : verb}
          </span>
        ))}
        <label className="check">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} /> {t('review.show-all')}
        </label>
      </div>
      {plan.toChange === 0 && <Banner tone="good" title={t('review.nothing')} />}
      {hosts.map(([host, steps]) => (
        <HostPlan key={host} host={host} steps={steps} all={all} open={changing.includes(host) && (changing.length <= 3 || changing[0] === host)} />
      ))}
    </div>
  )
}

function HostPlan({ host, steps, all, open }: { host: string; steps: PlanStep[]; all: boolean; open: boolean }) {
  const t = useT()
  const [shown, setShown] = useState(open)
  const changing = steps.filter((step) => step.change !== 'none')
  const listed = all ? steps : changing
  return (
    <details className="group" open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <b className="mono">{host || t('run.whole-cluster')}</b> <span className="muted">{t('review.host-counts', { change: changing.length, same: steps.length - changing.length })}</span>
      </summary>
      {shown && (
        <ul className="plan">
          {listed.map((step) => (
            <li key={step.id}>
              <div>
                <Sign verb={step.change} /> <span className="mono">{step.step}</span> <span className="muted">{step.title}</span>
                {kReasons[step.reason] && <span className="faint"> ({t(kReasons[step.reason]!)})</span>}
                {step.problem && <span className="warn-text"> {plainText(step.problem)}</span>}
              </div>
              {step.changes.length > 0 && (
                <ul>
                  {step.changes.map((change, i) => (
                    <li key={i} className="mono">
                      <Sign verb={change.verb} /> {plainText(change.what)} <span className="muted">{plainText(change.detail)}</span>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
