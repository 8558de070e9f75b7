// Which bundles the cluster is made of: those the server has, taken or left; others by upload.
import type { Json, JsonObject } from '../../api/types'
import { useT } from '../../i18n'
import { getAt, problemsBelow, setAt } from '../../model/spec'
import { Button, FieldProblems, Section } from '../../ui/basic'
import { BundleList } from '../bundles'
import type { DraftHandle } from './use-draft'

const kPath = ['spec', 'bundles']

export function BundleStep({ handle }: { handle: DraftHandle }) {
  const t = useT()
  const value = getAt(handle.spec, kPath)
  const chosen = Array.isArray(value) ? value.map(String) : []
  const set = (next: string[]) => handle.edit((spec) => setAt(spec, kPath, next.length > 0 ? (next as Json) : undefined) as JsonObject)
  return (
    <div className="step">
      <Section title={t('bundle.chosen')} note={t('bundle.chosen-note')}>
        {chosen.length === 0 ? (
          <p className="muted">{t('bundle.none-chosen')}</p>
        ) : (
          <ul className="plain-list">
            {chosen.map((path, i) => (
              <li key={path} className="row">
                <code>{path}</code>
                <Button kind="quiet" aria-label={t('bundle.leave-named', { name: path })} onClick={() => set(chosen.filter((each) => each !== path))}>
                  {t('bundle.leave')}
                </Button>
                <FieldProblems problems={problemsBelow(handle.draft!.problems, `bundles[${i}]`)} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <BundleList chosen={chosen} choose={(path) => set([...chosen, path])} />
    </div>
  )
}
