// What steps wrote. Lines come with the run's stream; of long runs the older ones are fetched.
import { useMemo, useState } from 'react'
import { segment } from '../../api/client'
import { useT } from '../../i18n'
import { clock } from '../../model/format'
import type { Line, RunModel } from '../../model/run'
import { cx, Empty } from '../../ui/basic'
import { VirtualList } from '../../ui/virtual'

interface LogProps {
  cluster: string
  run: string
  model: RunModel
  version: number
  node: string // HOST/STEP, or all
}

export function LogView({ cluster, run, model, version, node }: LogProps) {
  const t = useT()
  const [text, setText] = useState('')
  const [follow, setFollow] = useState(true)
  const lines = useMemo(() => {
    const wanted = text.toLowerCase()
    return model.lines.filter((line) => (!node || nodeOf(line) === node) && (!wanted || line.line.toLowerCase().includes(wanted)))
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [model, version, node, text])
  const address = `/api/v1/clusters/${segment(cluster)}/runs/${segment(run)}/logs${node ? `?node=${segment(node)}` : ''}`
  return (
    <>
      <div className="toolbar">
        <input className="small" type="search" placeholder={t('search')} aria-label={t('logs.search')} value={text} onChange={(event) => setText(event.target.value)} />
        <label className="check">
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.target.checked)} /> {t('logs.follow')}
        </label>
        <span className="muted number">{t('logs.count', { n: lines.length })}</span>
        <button className="button quiet" onClick={() => void download(address, `${cluster}-${run}${node ? `-${node.replace('/', '-')}` : ''}.log`)}>
          {t('logs.download')}
        </button>
      </div>
      {model.dropped > 0 && <div className="help">{t('logs.dropped', { n: model.dropped })}</div>}
      {lines.length === 0 ? (
        <Empty>{t(text ? 'logs.nothing-found' : 'logs.none')}</Empty>
      ) : (
        <VirtualList className="virtual lines" role="log" label={t('run.logs')} count={lines.length} size={20} keyOf={(i) => lines[i]!.seq} follow={follow && !text} row={(i) => <LogRow line={lines[i]!} short={node !== ''} />} />
      )}
    </>
  )
}

export function nodeOf({ host, step }: Line): string {
  return host ? `${host}/${step}` : step
}

export function LogRow({ line, short }: { line: Line; short: boolean }) {
  return (
    <div className={cx('line', line.stream === 'stderr' && 'stderr')}>
      <span className="line-time">{clock(line.time)}</span>
      {!short && <span className="line-node">{nodeOf(line)}</span>}
      <span className="line-text">{line.line}</span>
    </div>
  )
}

async function download(address: string, name: string) {
  const response = await fetch(address, { headers: { Accept: 'text/plain' } })
  saveAs(await response.blob(), name)
}

export function saveAs(blob: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
