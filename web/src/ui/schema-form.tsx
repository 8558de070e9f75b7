// Fields of the spec, drawn from its schema. Labels are the names one would write in YAML; help and
// defaults are the server's.
import { useEffect, useState, type ReactNode } from 'react'
import { useSchema } from '../api/queries'
import type { Json, JsonObject } from '../api/types'
import { useT } from '../i18n'
import { describe, parseLines, parseTexts, schemaAt, type Schema } from '../model/schema'
import { errorsOf, getAt, isObject, pathText, problemsAt, problemsBelow, setAt, type Path } from '../model/spec'
import type { DraftHandle } from '../screens/draft/use-draft'
import { Field, FieldProblems } from './basic'
import { MapRows, ObjectList, SecretSource } from './schema-lists'

interface SpecFieldProps {
  handle: DraftHandle
  path: Path
  label?: ReactNode
}

export function SpecField({ handle, path, label }: SpecFieldProps) {
  const schema = useSchema().data
  const rule = schema && schemaAt(schema, path)
  if (!rule) return null
  const about = describe(rule)
  const name = String(path.at(-1))
  const value = getAt(handle.spec, path)
  const set = (next: Json | undefined) => handle.edit((spec) => (setAt(spec, path, next) ?? {}) as JsonObject)
  const problems = problemsBelow(handle.draft!.problems, pathText(path))
  switch (about.kind) {
    case 'other':
      return null
    case 'object':
      return <SpecGroup handle={handle} path={path} about={about} />
    case 'objects':
      return <SpecList handle={handle} path={path} about={about} value={value} set={set} />
    case 'map':
      return <MapRows name={name} path={path} about={about} value={value} set={set} problems={problems} />
    case 'secret':
      return <SecretSource name={label ?? name} about={about} value={value} set={set} problems={problems} />
    case 'boolean':
      return <Switch label={label ?? name} about={about} value={value} set={set} problems={<FieldProblems problems={problems} />} />
    case 'choices':
      return <Choices label={label ?? name} about={about} value={value} set={set} problems={<FieldProblems problems={problems} />} />
    default:
      return (
        <Field label={label ?? <span className="mono">{name}</span>} help={about.description} helpLanguage="en" problems={problems}>
          {({ id, describedBy, invalid }) => <Input id={id} describedBy={describedBy} invalid={invalid} about={about} value={value} set={set} />}
        </Field>
      )
  }
}

function SpecList({ handle, path, about, value, set }: { handle: DraftHandle; path: Path; about: Schema; value: Json | undefined; set: (next: Json | undefined) => void }) {
  const schema = useSchema().data!
  const items = Array.isArray(value) ? value : []
  const entry = describe(schemaAt(schema, [...path, 0])!)
  const problems = handle.draft!.problems
  return (
    <ObjectList
      name={String(path.at(-1))}
      about={about}
      items={items}
      set={(next) => set(next.length > 0 ? next : undefined)}
      problems={problemsAt(problems, path)}
      entry={(i) => (
        <>
          <FieldProblems problems={problemsAt(problems, [...path, i])} />
          <div className="fields">
            {entry.properties.map(([key]) => (
              <SpecField key={key} handle={handle} path={[...path, i, key]} />
            ))}
          </div>
        </>
      )}
    />
  )
}

interface InputProps {
  id: string
  describedBy: string
  invalid: boolean
  about: Schema
  value: Json | undefined
  set: (next: Json | undefined) => void
}

function Input({ id, describedBy, invalid, about, value, set }: InputProps) {
  const common = { id, 'aria-describedby': describedBy, 'aria-invalid': invalid || undefined }
  switch (about.kind) {
    case 'choice':
      return <Choice common={common} about={about} value={value} set={set} />
    case 'integer':
    case 'number':
      return <input {...common} type="number" className="narrow" min={about.minimum} max={about.maximum} placeholder={shown(about.default)} value={typeof value === 'number' ? value : ''} onChange={(event) => set(event.target.value === '' ? undefined : Number(event.target.value))} />
    case 'lines':
      return <Typed common={common} value={Array.isArray(value) ? value.join('\n') : ''} placeholder="" lines={3} set={(text) => set(parseLines(text))} />
    case 'paragraph':
      return <Typed common={common} value={typeof value === 'string' ? value : ''} placeholder="" lines={4} set={(text) => set(text || undefined)} />
    case 'texts':
      return <Typed common={common} value={Array.isArray(value) ? value.join(', ') : ''} placeholder={Array.isArray(about.default) ? about.default.join(', ') : ''} set={(text) => set(parseTexts(text))} />
    default:
      return <Typed common={common} value={typeof value === 'string' ? value : ''} placeholder={shown(about.default)} set={(text) => set(text || undefined)} />
  }
}

type Common = { id: string; 'aria-describedby': string; 'aria-invalid'?: boolean }

function Choice({ common, about, value, set }: { common: Common; about: Schema; value: Json | undefined; set: (next: Json | undefined) => void }) {
  const t = useT()
  return (
    <select {...common} value={typeof value === 'string' ? value : ''} onChange={(event) => set(event.target.value || undefined)}>
      <option value="">{about.default === undefined ? t('form.unset') : t('form.default', { value: shown(about.default) })}</option>
      {about.choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  )
}

const shown = (value: Json | undefined) => (value === undefined ? '' : String(value))

// Keeps what is being typed as it is typed: "10.0.0.0/8, " is not a list yet.
function Typed({ common, value, placeholder, set, lines }: { common: Common; value: string; placeholder: string; set: (text: string) => void; lines?: number }) {
  const [text, setText] = useState(value)
  const [typing, setTyping] = useState(false)
  useEffect(() => {
    if (!typing) setText(value)
  }, [value, typing])
  const props = {
    ...common,
    placeholder,
    value: text,
    spellCheck: false,
    onFocus: () => setTyping(true),
    onBlur: () => setTyping(false),
    onChange: (event: { target: { value: string } }) => {
      setText(event.target.value)
      set(event.target.value)
    },
  }
  return lines ? <textarea className="mono" rows={lines} {...props} /> : <input className="mono" autoComplete="off" {...props} />
}

function Switch({ label, about, value, set, problems }: { label: ReactNode; about: Schema; value: Json | undefined; set: (next: Json | undefined) => void; problems: ReactNode }) {
  const on = typeof value === 'boolean' ? value : about.default === true
  return (
    <div className="field switch">
      <label className="check">
        <input type="checkbox" checked={on} onChange={(event) => set(event.target.checked === (about.default === true) ? undefined : event.target.checked)} /> {typeof label === 'string' ? <span className="mono">{label}</span> : label}
      </label>
      <div className="help" lang="en">
        {about.description}
      </div>
      {problems}
    </div>
  )
}

function Choices({ label, about, value, set, problems }: { label: ReactNode; about: Schema; value: Json | undefined; set: (next: Json | undefined) => void; problems: ReactNode }) {
  const chosen = Array.isArray(value) ? value.map(String) : []
  const toggle = (choice: string) => {
    const next = about.choices.filter((each) => (each === choice) !== chosen.includes(each))
    set(next.length > 0 ? next : undefined)
  }
  return (
    <fieldset className="field choices-field">
      <legend className="mono">{label}</legend>
      {about.choices.map((choice) => (
        <label key={choice} className="check">
          <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} /> {choice}
        </label>
      ))}
      <div className="help" lang="en">
        {about.description}
      </div>
      {problems}
    </fieldset>
  )
}

// Open while something in it is set or wrong; after that, as the reader left it.
function SpecGroup({ handle, path, about }: { handle: DraftHandle; path: Path; about: Schema }) {
  const value = getAt(handle.spec, path)
  const errors = errorsOf(problemsBelow(handle.draft!.problems, pathText(path))).length
  const [open, setOpen] = useState(isObject(value) && Object.keys(value).length > 0)
  useEffect(() => {
    if (errors > 0) setOpen(true)
  }, [errors])
  return (
    <details className="group" open={open} onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}>
      <summary>
        <span className="mono">{String(path.at(-1))}</span>{' '}
        <span className="help" lang="en">
          {about.description}
        </span>
      </summary>
      <FieldProblems problems={problemsAt(handle.draft!.problems, path)} />
      <div className="fields">
        {about.properties.map(([key]) => (
          <SpecField key={key} handle={handle} path={[...path, key]} />
        ))}
      </div>
    </details>
  )
}
