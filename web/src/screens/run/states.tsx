// How states look: always a glyph and a word, never colour alone.
import { useT, type Key } from '../../i18n'
import type { NodeState } from '../../model/run'
import { Badge, type Tone } from '../../ui/basic'

const kRunTones: Record<string, Tone> = {
  running: 'busy',
  validating: 'busy',
  paused: 'warn',
  cancelling: 'warn',
  cancelled: 'warn',
  interrupted: 'warn',
  partial: 'bad',
  failed: 'bad',
  succeeded: 'good',
}

const kRunWords: Record<string, Key> = {
  running: 'state.running',
  validating: 'state.validating',
  paused: 'state.paused',
  cancelling: 'state.cancelling',
  cancelled: 'state.cancelled',
  interrupted: 'state.interrupted',
  partial: 'state.partial',
  failed: 'state.failed',
  succeeded: 'state.succeeded',
}

export const runTone = (state: string): Tone => kRunTones[state] ?? 'neutral'

export function runWord(t: (key: Key) => string, state: string): string {
  const word = kRunWords[state]
  return word ? t(word) : state
}

export function RunBadge({ state }: { state: string }) {
  const t = useT()
  return <Badge tone={runTone(state)}>{runWord(t, state)}</Badge>
}

export const kNodeGlyphs: Record<NodeState | 'none', string> = {
  none: '',
  running: '▶',
  retrying: '↻',
  waiting: '‖',
  changed: '✓',
  unchanged: '=',
  skipped: '»',
  failed: '✗',
  cancelled: '⊘',
  blocked: '⊘',
  undone: '↶',
}

export const kNodeWords: Record<NodeState | 'none', Key> = {
  none: 'node.none',
  running: 'node.running',
  retrying: 'node.retrying',
  waiting: 'node.waiting',
  changed: 'node.changed',
  unchanged: 'node.unchanged',
  skipped: 'node.skipped',
  failed: 'node.failed',
  cancelled: 'node.cancelled',
  blocked: 'node.blocked',
  undone: 'node.undone',
}

// A state this page does not know is shown as it is.
export function nodeWord(t: (key: Key) => string, state: NodeState | 'none'): string {
  const key = kNodeWords[state] as Key | undefined
  return key ? t(key) : state
}

export function NodeMark({ state }: { state: NodeState | 'none' }) {
  const t = useT()
  return (
    <span className={`mark ${state}`}>
      <span aria-hidden="true">{kNodeGlyphs[state] ?? '?'}</span> {nodeWord(t, state)}
    </span>
  )
}

export function Legend() {
  const t = useT()
  const shown: NodeState[] = ['running', 'retrying', 'waiting', 'changed', 'unchanged', 'skipped', 'failed']
  return (
    <div className="legend" aria-label={t('run.legend')} role="note">
      {shown.map((state) => (
        <NodeMark key={state} state={state} />
      ))}
    </div>
  )
}
