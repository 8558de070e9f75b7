// Lists of objects and maps of the spec: entries are added, taken out and, where order means something, moved.
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { Json, JsonObject, SpecProblem } from '../api/types'
import { useT } from '../i18n'
import { mapOf, parseTexts, rowsOf, type MapRow, type Schema } from '../model/schema'
import { isObject, pathText, problemsBelow, type Path } from '../model/spec'
import { Button, FieldProblems } from './basic'

const kTitles = ['name', 'host', 'path', 'key', 'to']

// What an entry is called: the field that names it, else its number.
export function titleOf(item: Json | undefined, index: number): string {
  const named = isObject(item) ? kTitles.map((field) => item[field]).find((value) => typeof value === 'string' && value !== '') : undefined
  return named ? String(named) : `#${index + 1}`
}

function ListHead({ name, about }: { name: string; about: Schema }) {
  return (
    <div className="list-head">
      <span className="mono">{name}</span>{' '}
      <span className="help" lang="en">
        {about.description}
      </span>
    </div>
  )
}

interface ObjectListProps {
  name: string
  about: Schema
  items: Json[]
  set: (items: Json[]) => void
  problems: SpecProblem[] // of the list itself
  entry: (index: number) => ReactNode
}

type Wish = { index: number; what: 'field' | 'up' | 'down' } | 'add'

export function ObjectList({ name, about, items, set, problems, entry }: ObjectListProps) {
  const t = useT()
  const frame = useRef<HTMLDivElement>(null)
  const [wish, setWish] = useState<Wish>()
  // The keyboard stays where the work is: in the new entry, at the moved one, at the button for another.
  useEffect(() => {
    if (!wish) return
    const at = (selector: string) => frame.current?.querySelector<HTMLElement>(selector)
    const place = wish === 'add' ? undefined : `:scope > ol > li:nth-child(${wish.index + 1})`
    const found = wish === 'add' ? at(':scope > button') : wish.what === 'field' ? at(`${place} .fields :is(input, select, textarea)`) : at(`${place} [data-move='${wish.what}']:not(:disabled)`) ?? at(`${place} [data-move]:not(:disabled)`)
    found?.focus()
    setWish(undefined)
  }, [wish])
  const move = (from: number, to: number) => {
    const next = [...items]
    next.splice(to, 0, ...next.splice(from, 1))
    set(next)
    setWish({ index: to, what: to < from ? 'up' : 'down' })
  }
  return (
    <div className="object-list" ref={frame} role="group" aria-label={name}>
      <ListHead name={name} about={about} />
      <FieldProblems problems={problems} />
      <ol>
        {items.map((item, i) => {
          const title = titleOf(item, i)
          const values = { item: title, list: name }
          return (
            <li key={i} className="list-entry">
              <header className="row">
                <b className="mono">{title}</b>
                <div className="actions">
                  {items.length > 1 && (
                    <>
                      <Button kind="quiet" data-move="up" disabled={i === 0} aria-label={t('list.up', values)} onClick={() => move(i, i - 1)}>
                        ↑
                      </Button>
                      <Button kind="quiet" data-move="down" disabled={i === items.length - 1} aria-label={t('list.down', values)} onClick={() => move(i, i + 1)}>
                        ↓
                      </Button>
                    </>
                  )}
                  <Button
                    kind="quiet"
                    aria-label={t('list.remove', values)}
                    onClick={() => {
                      set(items.filter((_, at) => at !== i))
                      setWish('add')
                    }}
                  >
                    {t('delete')}
                  </Button>
                </div>
              </header>
              {entry(i)}
            </li>
          )
        })}
      </ol>
      <Button
        aria-label={t('list.add-to', { list: name })}
        onClick={() => {
          set([...items, {}])
          setWish({ index: items.length, what: 'field' })
        }}
      >
        {t('list.add')}
      </Button>
    </div>
  )
}

interface MapProps {
  name: string
  path: Path
  about: Schema
  value: Json | undefined
  set: (next: JsonObject | undefined) => void
  problems: SpecProblem[]
}

export function MapRows({ name, path, about, value, set, problems }: MapProps) {
  const t = useT()
  const [rows, setRows] = useState<MapRow[]>(() => rowsOf(value))
  useEffect(() => {
    setRows((shown) => (JSON.stringify(mapOf(shown)) === JSON.stringify(mapOf(rowsOf(value))) ? shown : rowsOf(value)))
  }, [value])
  const change = (next: MapRow[]) => {
    setRows(next)
    set(mapOf(next))
  }
  const put = (index: number, fields: Partial<MapRow>) => change(rows.map((row, i) => (i === index ? { ...row, ...fields } : row)))
  const kind = about.values?.type
  const fresh: Json = kind === 'boolean' ? true : kind === 'array' ? [] : ''
  const own = problems.filter((problem) => problem.path === pathText(path))
  return (
    <div className="object-list" role="group" aria-label={name}>
      <ListHead name={name} about={about} />
      <FieldProblems problems={own} />
      {rows.map((row, i) => {
        const found = row.key ? problemsBelow(problems, pathText([...path, row.key])) : []
        const invalid = found.some((problem) => problem.severity === 'error') || undefined
        return (
          <div key={i} className="map-row">
            <input className="mono" aria-label={t('map.key', { n: i + 1, map: name })} aria-invalid={invalid} value={row.key} autoComplete="off" spellCheck={false} onChange={(event) => put(i, { key: event.target.value.trim() })} />
            <MapValue label={t('map.value', { n: i + 1, map: name })} kind={kind} invalid={invalid} value={row.value} set={(next) => put(i, { value: next })} />
            <Button kind="quiet" aria-label={t('list.remove', { item: row.key || `#${i + 1}`, list: name })} onClick={() => change(rows.filter((_, at) => at !== i))}>
              {t('delete')}
            </Button>
            <FieldProblems problems={found} />
          </div>
        )
      })}
      <Button aria-label={t('list.add-to', { list: name })} onClick={() => setRows([...rows, { key: '', value: fresh }])}>
        {t('list.add')}
      </Button>
    </div>
  )
}

function MapValue({ label, kind, invalid, value, set }: { label: string; kind: Json | undefined; invalid?: boolean; value: Json; set: (next: Json) => void }) {
  const [text, setText] = useState<string>()
  const common = { 'aria-label': label, 'aria-invalid': invalid }
  if (kind === 'boolean') {
    return (
      <select {...common} value={String(value === true)} onChange={(event) => set(event.target.value === 'true')}>
        <option>true</option>
        <option>false</option>
      </select>
    )
  }
  if (kind === 'array') {
    const shown = Array.isArray(value) ? value.join(', ') : ''
    return (
      <input
        {...common}
        className="mono"
        value={text ?? shown}
        autoComplete="off"
        spellCheck={false}
        onBlur={() => setText(undefined)}
        onChange={(event) => {
          setText(event.target.value)
          set(parseTexts(event.target.value) ?? [])
        }}
      />
    )
  }
  return <input {...common} className="mono" value={typeof value === 'string' ? value : String(value)} autoComplete="off" spellCheck={false} onChange={(event) => set(event.target.value)} />
}

// Where a secret comes from; the secret itself is never in a spec.
export function SecretSource({ name, about, value, set, problems }: { name: ReactNode; about: Schema; value: Json | undefined; set: (next: JsonObject | undefined) => void; problems: SpecProblem[] }) {
  const t = useT()
  const now = isObject(value) ? value : {}
  const kind = now.prompt ? 'prompt' : 'env' in now ? 'env' : 'file' in now ? 'file' : ''
  const label = typeof name === 'string' ? name : ''
  const invalid = problems.some((problem) => problem.severity === 'error') || undefined
  return (
    <div className="field">
      <label>
        <span className="mono">{name}</span>
        <select
          value={kind}
          aria-invalid={invalid}
          onChange={(event) => {
            const chosen = event.target.value
            set(chosen === '' ? undefined : chosen === 'prompt' ? { prompt: true } : { [chosen]: '' })
          }}
        >
          <option value="">{t('form.unset')}</option>
          <option value="file">{t('secret.file')}</option>
          <option value="env">{t('secret.env')}</option>
          {kind === 'prompt' && <option value="prompt">{t('secret.prompt')}</option>}
        </select>
      </label>
      {(kind === 'file' || kind === 'env') && <input className="mono" aria-label={`${label}: ${t(kind === 'file' ? 'secret.file' : 'secret.env')}`} value={String(now[kind] ?? '')} autoComplete="off" spellCheck={false} onChange={(event) => set({ [kind]: event.target.value })} />}
      <div className="help" lang="en">
        {about.description}
      </div>
      <FieldProblems problems={problems} />
    </div>
  )
}
