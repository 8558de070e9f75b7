// A draft, part by part. Everything typed is kept by the server; the parts can be taken in any order.
import { Link, useLocation } from 'wouter'
import { segment } from '../../api/client'
import { useT, type Key } from '../../i18n'
import { errorsOf, problemsBelow } from '../../model/spec'
import { Badge, Button, cx, ErrorBanner, Loading } from '../../ui/basic'
import { Dialog } from '../../ui/dialog'
import { BundleStep } from './bundle-step'
import { ComponentsStep } from './components-step'
import { HostsStep } from './hosts-step'
import { NetworkStep } from './network-step'
import { OptionsStep } from './options-step'
import { ReviewStep } from './review-step'
import { useDraft, type DraftHandle, type SaveState } from './use-draft'

interface Step {
  id: string
  label: Key
  paths: string[]
}

const kSteps: Step[] = [
  { id: 'hosts', label: 'draft.hosts', paths: ['hosts'] },
  { id: 'network', label: 'draft.network', paths: ['kubernetes.networks', 'kubernetes.endpoint', 'networkPlugin'] },
  { id: 'components', label: 'draft.components', paths: ['components', 'storage', 'kubernetes.dns', 'kubernetes.audit', 'kubernetes.encryption'] },
  { id: 'bundle', label: 'draft.bundle', paths: ['bundles'] },
  { id: 'options', label: 'draft.options', paths: ['os', 'etcd', 'runtime', 'registry', 'hooks', 'steps', 'limits', 'kubernetes.version', 'kubernetes.tuning', 'kubernetes.featureGates', 'kubernetes.certificates', 'metadata'] },
  { id: 'review', label: 'draft.review', paths: [] },
]

const kSaveWords: Record<SaveState, Key> = { saved: 'draft.saved', dirty: 'draft.dirty', saving: 'draft.saving', failed: 'draft.not-saved' }

export function DraftScreen({ name, step }: { name: string; step: string }) {
  const t = useT()
  const handle = useDraft(name)
  const { draft, save } = handle
  if (!draft) return handle.error ? <ErrorBanner error={handle.error} /> : <Loading />
  return (
    <div className="page draft">
      <header className="row">
        <h1>
          {t('draft.title')} <span className="mono">{name}</span>
        </h1>
        <span className={cx('muted', save === 'failed' && 'bad-text')} role="status">
          {t(kSaveWords[save])}
        </span>
        <DraftState handle={handle} />
      </header>
      {save === 'failed' && (
        <ErrorBanner
          error={handle.error}
          actions={
            <Button onClick={() => handle.edit((spec) => spec)}>{t('retry')}</Button>
          }
        />
      )}
      <div className="draft-body">
        <Rail name={name} step={step} handle={handle} />
        <div className="draft-step">
          <StepContent step={step} name={name} handle={handle} />
          <NextStep name={name} step={step} />
        </div>
      </div>
      <OvertakenDialog handle={handle} />
    </div>
  )
}

function StepContent({ step, name, handle }: { step: string; name: string; handle: DraftHandle }) {
  switch (step) {
    case 'network':
      return <NetworkStep handle={handle} />
    case 'components':
      return <ComponentsStep handle={handle} />
    case 'bundle':
      return <BundleStep handle={handle} />
    case 'options':
      return <OptionsStep handle={handle} />
    case 'review':
      return <ReviewStep name={name} handle={handle} />
    default:
      return <HostsStep name={name} handle={handle} />
  }
}

function DraftState({ handle }: { handle: DraftHandle }) {
  const t = useT()
  const errors = errorsOf(handle.draft!.problems).length
  return errors === 0 ? <Badge tone="good">{t('draft.valid')}</Badge> : <Badge tone="warn">{t('draft.problems', { n: errors })}</Badge>
}

function Rail({ name, step, handle }: { name: string; step: string; handle: DraftHandle }) {
  const t = useT()
  return (
    <nav className="rail" aria-label={t('draft.parts')}>
      {kSteps.map(({ id, label, paths }) => {
        const errors = errorsOf(paths.flatMap((path) => problemsBelow(handle.draft!.problems, path))).length
        return (
          <Link key={id} href={`/drafts/${segment(name)}/${id}`} className={cx('rail-link', id === step && 'here')} aria-current={id === step ? 'step' : undefined}>
            {t(label)}
            {errors > 0 && (
              <span className="rail-count">
                <span aria-hidden="true">✗{errors}</span>
                <span className="sr">{t('draft.problems', { n: errors })}</span>
              </span>
            )}
          </Link>
        )
      })}
    </nav>
  )
}

function NextStep({ name, step }: { name: string; step: string }) {
  const t = useT()
  const [, navigate] = useLocation()
  const at = kSteps.findIndex((each) => each.id === step)
  const next = kSteps[at + 1]
  if (!next) return null
  return (
    <div className="next">
      <Button onClick={() => navigate(`/drafts/${segment(name)}/${next.id}`)}>{t('draft.next', { step: t(next.label) })} →</Button>
    </div>
  )
}

function OvertakenDialog({ handle }: { handle: DraftHandle }) {
  const t = useT()
  const { overtaken, dismiss } = handle
  return (
    <Dialog
      open={overtaken !== undefined}
      onClose={dismiss}
      title={t('overtaken.title')}
      actions={
        <Button kind="primary" onClick={dismiss}>
          {t('overtaken.ok')}
        </Button>
      }
    >
      <p>{t('overtaken.text')}</p>
      <dl className="facts">
        <dt>{t('overtaken.theirs')}</dt>
        <dd className="mono">{overtaken?.theirs.join(', ') || '-'}</dd>
        <dt>{t('overtaken.mine')}</dt>
        <dd className="mono">{overtaken?.mine.join(', ') || '-'}</dd>
      </dl>
    </Dialog>
  )
}
