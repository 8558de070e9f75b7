// What has changed on the hosts since: a plan of the cluster's draft, asked for by a person. It changes nothing.
import { useState } from 'react'
import { ApiError, post, segment } from '../api/client'
import { awaitJob } from '../api/jobs'
import type { Job, PlanResult } from '../api/types'
import { useT } from '../i18n'
import { plainText } from '../model/ansi'
import { Banner, Button, ButtonLink, ErrorBanner, Section } from '../ui/basic'
import { PlanView } from './draft/plan-view'

export function Drift({ spec, mayAct }: { spec: string; mayAct: boolean }) {
  const t = useT()
  const [job, setJob] = useState<Job<PlanResult>>()
  const [simulate, setSimulate] = useState(false)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const look = async () => {
    setBusy(true)
    setError(undefined)
    setJob(undefined)
    try {
      const begun = await post<Job<PlanResult>>(`/specs/${segment(spec)}/plan`, simulate ? { simulate } : {})
      const ended = await awaitJob<PlanResult>(begun.id, setJob)
      if (ended.problem) throw new ApiError(ended.problem)
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const plan = job?.result
  const drifted = plan?.steps.filter((step) => step.reason === 'drift').length ?? 0
  return (
    <Section
      title={t('drift.title')}
      note={t('drift.note')}
      actions={
        <Button busy={busy} disabled={!mayAct} onClick={() => void look()}>
          {t(busy ? 'review.planning' : 'drift.look')}
        </Button>
      }
    >
      <label className="check">
        <input type="checkbox" checked={simulate} onChange={(event) => setSimulate(event.target.checked)} /> {t('drift.simulate')}
      </label>
      <ErrorBanner error={error} />
      {busy && job && job.lines.length > 0 && <p className="muted">{plainText(job.lines.at(-1)!)}</p>}
      {plan && plan.toChange > 0 && (
        <>
          <Banner tone="warn" title={drifted > 0 ? t('drift.found', { n: drifted }) : t('drift.draft-only')} actions={<ButtonLink href={`/drafts/${segment(spec)}/review`}>{t('draft.review')}</ButtonLink>} />
          <PlanView plan={plan} />
        </>
      )}
      {plan?.toChange === 0 && <Banner tone="good" title={t('drift.none')} />}
    </Section>
  )
}
