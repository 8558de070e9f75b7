import { useMemo, useState } from 'react'
import type { Level, RunEvent } from '../../api/types'
import { useT } from '../../i18n'
import { clock } from '../../model/format'
import { byHost, eventWords, filterEvents, type RunModel } from '../../model/run'
import { cx, Empty } from '../../ui/basic'
import { VirtualList } from '../../ui/virtual'

const kMarks: Record<Level, string> = { debug: '·', info: 'i', warning: '!', error: '✗' }

export function EventsView({ model, version, open }: { model: RunModel; version: number; open: (id: string) => void }) {
  const t = useT()
  const [level, setLevel] = useState<Level | ''>('')
  const [host, setHost] = useState('')
  const [text, setText] = useState('')
  const [follow, setFollow] = useState(true)
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const shown = useMemo(() => filterEvents(model.events, { level, host, text }), [model, version, level, host, text])
  const counts = useMemo(() => {
    const by: Record<Level, number> = { debug: 0, info: 0, warning: 0, error: 0 }
    for (const event of model.events) ++by[event.level]
    return by
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [model, version])
  const hosts = [...model.hosts.keys()].sort(byHost)
  return (
    <>
      <div className="toolbar">
        <select className="small" aria-label={t('events.level')} value={level} onChange={(event) => setLevel(event.target.value as Level | '')}>
          <option value="">{t('events.all-levels')}</option>
          <option value="warning">{t('events.warnings', { n: counts.warning + counts.error })}</option>
          <option value="error">{t('events.errors', { n: counts.error })}</option>
        </select>
        <select className="small" aria-label={t('column.host')} value={host} onChange={(event) => setHost(event.target.value)}>
          <option value="">{t('events.all-hosts')}</option>
          {hosts.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input className="small" type="search" placeholder={t('search')} aria-label={t('search')} value={text} onChange={(event) => setText(event.target.value)} />
        <label className="check">
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.target.checked)} /> {t('logs.follow')}
        </label>
        <span className="muted number">{t('events.count', { n: shown.length })}</span>
      </div>
      {shown.length === 0 ? (
        <Empty>{t('events.none')}</Empty>
      ) : (
        <VirtualList className="virtual lines" role="list" label={t('run.events')} count={shown.length} size={24} keyOf={(i) => shown[i]!.seq} follow={follow && !model.result} row={(i) => <EventRow event={shown[i]!} open={open} />} />
      )}
    </>
  )
}

function EventRow({ event, open }: { event: RunEvent; open: (id: string) => void }) {
  const id = event.host && event.step ? `${event.host}/${event.step}` : (event.step ?? '')
  return (
    <div className={cx('line', event.level)}>
      <span className="line-time">{clock(event.time)}</span>
      <span className="line-level">
        <span aria-hidden="true">{kMarks[event.level]}</span>
        <span className="sr">{event.level}</span>
      </span>
      <span className="line-type">{event.type}</span>
      {id ? (
        <button className="link line-node" onClick={() => open(id)}>
          {id}
        </button>
      ) : (
        <span className="line-node">{event.host}</span>
      )}
      <span className="line-text" title={eventWords(event)}>
        {eventWords(event)}
      </span>
    </div>
  )
}
