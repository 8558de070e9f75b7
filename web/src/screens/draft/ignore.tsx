// Overruling a check: what it would have prevented is said before.
import { useMeaning } from '../../api/queries'
import { useT } from '../../i18n'
import { Badge, Button } from '../../ui/basic'
import { Question } from '../../ui/dialog'
import { What } from '../../ui/remedy'

export function IgnoreDialog({ id, ignore, close }: { id: string; ignore: (id: string) => void; close: () => void }) {
  const t = useT()
  const meaning = useMeaning(id).data
  return (
    <Question
      onClose={close}
      title={t('ignore.title', { id })}
      kind="danger"
      yes={t('ignore.yes')}
      onYes={() => {
        ignore(id)
        close()
      }}
    >
      {meaning && (
        <p>
          <b>
            <What id={id} text={meaning.summary} />
          </b>{' '}
          <span lang="en">{meaning.cause}</span>
        </p>
      )}
      <p>{t('ignore.text')}</p>
    </Question>
  )
}

export function IgnoredChecks({ ids, take }: { ids: string[]; take?: (id: string) => void }) {
  const t = useT()
  if (ids.length === 0) return null
  return (
    <div className="row ignored" role="group" aria-label={t('ignore.list')}>
      <Badge tone="warn">{t('ignore.list')}</Badge>
      {ids.map((id) => (
        <span key={id} className="row">
          <code>{id}</code>
          {take && (
            <Button kind="quiet" aria-label={t('ignore.back', { id })} title={t('ignore.back', { id })} onClick={() => take(id)}>
              ✕
            </Button>
          )}
        </span>
      ))}
    </div>
  )
}
