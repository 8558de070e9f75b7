// What is installed in the cluster once it works: Slipway's own parts, and charts of the bundles.
import { useState } from 'react'
import { useQueries } from '@tanstack/react-query'
import { get, segment } from '../../api/client'
import { useBundles } from '../../api/queries'
import type { BundleInfo, Json, JsonObject } from '../../api/types'
import { useT } from '../../i18n'
import { getAt, isObject, problemsBelow, setAt } from '../../model/spec'
import { Button, Empty, FieldProblems, Section } from '../../ui/basic'
import { Dialog } from '../../ui/dialog'
import { SpecField } from '../../ui/schema-form'
import type { DraftHandle } from './use-draft'

const kPath = ['spec', 'components']

function componentsOf(spec: JsonObject): JsonObject[] {
  const list = getAt(spec, kPath)
  return Array.isArray(list) ? list.filter(isObject) : []
}

export function ComponentsStep({ handle }: { handle: DraftHandle }) {
  const t = useT()
  const components = componentsOf(handle.spec)
  const [adding, setAdding] = useState(false)
  const set = (next: JsonObject[]) => handle.edit((spec) => setAt(spec, kPath, next.length > 0 ? (next as Json) : undefined) as JsonObject)
  return (
    <div className="step">
      <Section title={t('components.own')} note={t('components.own-note')}>
        <div className="fields">
          <SpecField handle={handle} path={['spec', 'storage', 'local', 'enabled']} label={<>{t('components.storage')}</>} />
          <SpecField handle={handle} path={['spec', 'kubernetes', 'dns', 'nodeLocal']} label={<>{t('components.node-dns')}</>} />
          <SpecField handle={handle} path={['spec', 'kubernetes', 'audit', 'enabled']} label={<>{t('components.audit')}</>} />
          <SpecField handle={handle} path={['spec', 'kubernetes', 'encryption', 'enabled']} label={<>{t('components.encryption')}</>} />
          <SpecField handle={handle} path={['spec', 'etcd', 'backup', 'enabled']} label={<>{t('components.backup')}</>} />
          <SpecField handle={handle} path={['spec', 'kubernetes', 'certificates', 'autoRenew']} label={<>{t('components.renew')}</>} />
        </div>
      </Section>
      <Section
        title={t('components.list')}
        note={t('components.list-note')}
        actions={
          <Button kind="primary" onClick={() => setAdding(true)}>
            {t('components.add')}
          </Button>
        }
      >
        {components.length === 0 && <Empty>{t('components.none')}</Empty>}
        {components.map((component, i) => (
          <article key={i} className="component">
            <header className="row">
              <h3 className="mono">{String(component.name ?? '')}</h3>
              <span className="muted">{component.chart ? `${String(component.chart)} ${String(component.version ?? '')}` : t('components.manifests')}</span>
              <div className="actions">
                <Button kind="quiet" aria-label={t('components.remove', { name: String(component.name ?? '') })} onClick={() => set(components.filter((_, at) => at !== i))}>
                  {t('delete')}
                </Button>
              </div>
            </header>
            <FieldProblems problems={problemsBelow(handle.draft!.problems, `components[${i}]`)} />
            <div className="fields">
              {(component.chart ? ['namespace', 'version', 'valuesFile', 'needs'] : ['namespace', 'manifests', 'needs']).map((field) => (
                <SpecField key={field} handle={handle} path={[...kPath, i, field]} />
              ))}
            </div>
          </article>
        ))}
      </Section>
      {adding && <AddComponent taken={components.map((each) => String(each.name))} add={(component) => set([...components, component])} close={() => setAdding(false)} />}
    </div>
  )
}

// "slipway.local/charts/hello:1.2.0" is the chart hello.
export function chartOf(name: string): { chart: string; version: string } | undefined {
  const match = /(?:^|\/)charts\/([^:/]+):(.+)$/.exec(name)
  return match ? { chart: match[1]!, version: match[2]! } : undefined
}

function useCharts(): { chart: string; version: string }[] {
  const bundles = useBundles().data ?? []
  const infos = useQueries({
    queries: bundles
      .filter((bundle) => bundle.state === 'whole')
      .map(({ name }) => ({ queryKey: ['bundle', name], queryFn: () => get<BundleInfo>(`/bundles/${segment(name)}`) })),
  })
  return infos.flatMap((info) => (info.data?.names ?? []).flatMap((root) => chartOf(root.name) ?? []))
}

function AddComponent({ taken, add, close }: { taken: string[]; add: (component: JsonObject) => void; close: () => void }) {
  const t = useT()
  const charts = useCharts()
  const [name, setName] = useState('')
  const [manifest, setManifest] = useState('')
  const choose = (component: JsonObject) => {
    add(component)
    close()
  }
  return (
    <Dialog open onClose={close} title={t('components.add')} actions={<Button onClick={close}>{t('cancel')}</Button>}>
      <h3>{t('components.charts')}</h3>
      {charts.length === 0 && <p className="muted">{t('components.no-charts')}</p>}
      <ul className="choices">
        {charts.map(({ chart, version }) => (
          <li key={`${chart}:${version}`}>
            <Button disabled={taken.includes(chart)} onClick={() => choose({ name: chart, chart, version })}>
              {chart} <span className="muted">{version}</span>
            </Button>
          </li>
        ))}
      </ul>
      <h3>{t('components.from-manifest')}</h3>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          choose({ name, manifests: [manifest] })
        }}
      >
        <input required aria-label={t('column.name')} placeholder={t('column.name')} value={name} onChange={(event) => setName(event.target.value)} />
        <input required className="mono" aria-label={t('components.manifest-file')} placeholder={t('components.manifest-file')} value={manifest} onChange={(event) => setManifest(event.target.value)} />
        <Button type="submit" disabled={!name || !manifest || taken.includes(name)}>
          {t('components.add-short')}
        </Button>
      </form>
    </Dialog>
  )
}
