// Small pieces every screen is made of.
import { useId, useState, type ButtonHTMLAttributes, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../api/client'
import type { SpecProblem } from '../api/types'
import { useT } from '../i18n'
import { plainText } from '../model/ansi'
import { Remedy, What } from './remedy'

export function cx(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { kind?: 'plain' | 'primary' | 'danger' | 'quiet'; busy?: boolean }

export function Button({ kind = 'plain', busy, className, disabled, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={cx('button', kind, className)} disabled={disabled || busy} aria-busy={busy || undefined} {...rest} />
}

export function ButtonLink({ href, children, kind = 'plain' }: { href: string; children: ReactNode; kind?: 'plain' | 'primary' }) {
  return (
    <Link href={href} className={cx('button', kind)}>
      {children}
    </Link>
  )
}

export type Tone = 'neutral' | 'info' | 'good' | 'warn' | 'bad' | 'busy'

export const kToneGlyphs: Record<Tone, string> = { neutral: '·', info: 'i', good: '✓', warn: '!', bad: '✗', busy: '▶' }

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={cx('badge', tone)}>
      <span aria-hidden="true">{kToneGlyphs[tone]}</span> {children}
    </span>
  )
}

export function Banner({ tone, title, children, actions }: { tone: Tone; title: ReactNode; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={cx('banner', tone)} role={tone === 'bad' ? 'alert' : 'status'}>
      <span className="banner-glyph" aria-hidden="true">
        {kToneGlyphs[tone]}
      </span>
      <div className="banner-text">
        <div className="banner-title">{title}</div>
        {children}
      </div>
      {actions && <div className="banner-actions">{actions}</div>}
    </div>
  )
}

// Whatever went wrong, in the server's words: what, cause, remedy, id.
export function ErrorBanner({ error, actions }: { error: unknown; actions?: ReactNode }) {
  const t = useT()
  if (!error) return null
  if (!(error instanceof ApiError)) return <Banner tone="bad" title={error instanceof Error ? error.message : String(error)} actions={actions} />
  const { id, detail, title, cause, remedy, problems } = error.problem
  if (id === 'PAGE-OFFLINE') return <Banner tone="bad" title={t('error.offline')} actions={actions}>{t('error.offline-remedy')}</Banner>
  return (
    <Banner tone="bad" title={<What id={id} text={detail ?? title} />} actions={actions}>
      {cause && (
        <div>
          <b>{t('error.cause')}</b> <span lang="en">{plainText(cause)}</span>
        </div>
      )}
      {remedy && (
        <div>
          <b>{t('error.remedy')}</b> <Remedy id={id} text={remedy} />
        </div>
      )}
      {error.retryAfter && <div>{t('error.retry-after', { seconds: error.retryAfter })}</div>}
      {problems && <ProblemList problems={problems} />}
      {id && <div className="faint mono">{id}</div>}
    </Banner>
  )
}

export function ProblemList({ problems }: { problems: SpecProblem[] }) {
  const t = useT()
  return (
    <ul className="problems">
      {problems.map((problem, i) => (
        <li key={i}>
          <Badge tone={problem.severity === 'error' ? 'bad' : 'info'}>{t(problem.severity === 'error' ? 'problem.error' : 'problem.notice')}</Badge>{' '}
          <code>{problem.path || '/'}</code> <What id={problem.id} text={problem.what} />
          {problem.todo && (
            <>
              ; <Remedy id={problem.id} text={problem.todo} />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

export function FieldProblems({ problems, id }: { problems: SpecProblem[]; id?: string }) {
  if (problems.length === 0) return null
  return (
    <div id={id} className="field-problems">
      {problems.map((problem, i) => (
        <div key={i} className={problem.severity === 'error' ? 'bad-text' : 'muted'}>
          <span aria-hidden="true">{problem.severity === 'error' ? '✗ ' : 'i '}</span>
          <What id={problem.id} text={problem.what} />
          {problem.todo && (
            <>
              ; <Remedy id={problem.id} text={problem.todo} />
            </>
          )}
        </div>
      ))}
    </div>
  )
}

interface FieldProps {
  label: ReactNode
  help?: ReactNode
  helpLanguage?: string
  problems?: SpecProblem[]
  children: (ids: { id: string; describedBy: string; invalid: boolean }) => ReactNode
}

export function Field({ label, help, helpLanguage, problems = [], children }: FieldProps) {
  const id = useId()
  const invalid = problems.some((problem) => problem.severity === 'error')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, describedBy: `${id}-help ${id}-problems`, invalid })}
      {help && (
        <div id={`${id}-help`} className="help" lang={helpLanguage}>
          {help}
        </div>
      )}
      <FieldProblems id={`${id}-problems`} problems={problems} />
    </div>
  )
}

type TextProps = InputHTMLAttributes<HTMLInputElement> & { label: ReactNode; help?: ReactNode; problems?: SpecProblem[] }

export function TextField({ label, help, problems, ...input }: TextProps) {
  return (
    <Field label={label} help={help} problems={problems}>
      {({ id, describedBy, invalid }) => <input id={id} aria-describedby={describedBy} aria-invalid={invalid || undefined} autoComplete="off" spellCheck={false} {...input} />}
    </Field>
  )
}

type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & { label: ReactNode; help?: ReactNode; problems?: SpecProblem[] }

export function SelectField({ label, help, problems, children, ...select }: SelectProps) {
  return (
    <Field label={label} help={help} problems={problems}>
      {({ id, describedBy, invalid }) => (
        <select id={id} aria-describedby={describedBy} aria-invalid={invalid || undefined} {...select}>
          {children}
        </select>
      )}
    </Field>
  )
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useT()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{copied ? t('copied') : (label ?? t('copy'))}</span>
    </Button>
  )
}

// A line to type in a terminal.
export function Command({ children }: { children: string }) {
  return (
    <div className="command">
      <code>{children}</code>
      <CopyButton text={children} />
    </div>
  )
}

export function ProgressBar({ percent, label, tone = 'busy' }: { percent: number; label: string; tone?: Tone }) {
  const shown = Math.max(0, Math.min(100, percent))
  return (
    <div className={cx('progress', tone)} role="progressbar" aria-label={label} aria-valuenow={Math.round(shown)} aria-valuemin={0} aria-valuemax={100}>
      <div style={{ width: `${shown}%` }} />
    </div>
  )
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>
}

export function Loading() {
  const t = useT()
  return (
    <div className="empty" role="status">
      {t('loading')}
    </div>
  )
}

export function Section({ title, actions, children, note }: { title: ReactNode; actions?: ReactNode; children: ReactNode; note?: ReactNode }) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {note && <span className="muted">{note}</span>}
        {actions && <div className="actions">{actions}</div>}
      </header>
      <div className="panel-body">{children}</div>
    </section>
  )
}
