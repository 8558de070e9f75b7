// Hosts down, stages (or steps) across. A cell is a button: it opens what it stands for.
import { useMemo, useState } from 'react'
import { useT, type Key } from '../../i18n'
import { matrixOf, type Cell, type Columns, type RunModel, type Stage } from '../../model/run'
import { cx, Empty } from '../../ui/basic'
import { VirtualList } from '../../ui/virtual'
import { kNodeGlyphs, Legend, nodeWord } from './states'

const kStageWords: Record<Stage, Key> = {
  before: 'stage.before',
  prepare: 'stage.prepare',
  install: 'stage.install',
  certificates: 'stage.certificates',
  start: 'stage.start',
  cluster: 'stage.cluster',
  components: 'stage.components',
  after: 'stage.after',
}

interface MatrixProps {
  model: RunModel
  version: number
  selected: string
  open: (id: string) => void
}

export function MatrixView({ model, version, selected, open }: MatrixProps) {
  const t = useT()
  const [by, setBy] = useState<Columns>('stages')
  const [trouble, setTrouble] = useState(false)
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const matrix = useMemo(() => matrixOf(model, by), [model, version, by])
  const rows = trouble ? matrix.rows.filter((row) => [...row.cells.values()].some((cell) => ['failed', 'retrying', 'waiting'].includes(cell.state))) : matrix.rows
  const word = (column: string) => (by === 'stages' ? t(kStageWords[column as Stage]) : column)
  return (
    <>
      <div className="toolbar">
        <label className="check">
          <input type="checkbox" checked={by === 'steps'} onChange={(event) => setBy(event.target.checked ? 'steps' : 'stages')} /> {t('matrix.steps')}
        </label>
        <label className="check">
          <input type="checkbox" checked={trouble} onChange={(event) => setTrouble(event.target.checked)} /> {t('matrix.trouble')}
        </label>
        <Legend />
      </div>
      {rows.length === 0 ? (
        <Empty>{t(trouble ? 'matrix.no-trouble' : 'run.nothing-yet')}</Empty>
      ) : (
        <VirtualList
          className={cx('virtual matrix', by)}
          label={t('run.matrix')}
          count={rows.length}
          size={30}
          keyOf={(i) => rows[i]!.host}
          header={
            <div className="matrix-row matrix-head" role="row">
              <div role="columnheader" className="matrix-host">
                {t('column.host')}
              </div>
              {matrix.columns.map((column) => (
                <div role="columnheader" key={column} title={word(column)} className="matrix-column">
                  <span>{word(column)}</span>
                </div>
              ))}
            </div>
          }
          row={(i) => {
            const { host, cells } = rows[i]!
            return (
              <div className="matrix-row" role="presentation">
                <div role="rowheader" className={cx('matrix-host', model.hosts.get(host)?.setAside && 'aside')} title={model.hosts.get(host)?.os}>
                  {host || t('run.whole-cluster')}
                  {model.hosts.get(host)?.setAside && <span className="bad-text"> {t('run.set-aside')}</span>}
                </div>
                {matrix.columns.map((column) => (
                  <div role="cell" key={column} className="matrix-cell">
                    <CellButton cell={cells.get(column)} host={host || t('run.whole-cluster')} column={word(column)} by={by} selected={selected} open={open} />
                  </div>
                ))}
              </div>
            )
          }}
        />
      )}
    </>
  )
}

// The node a cell is about: the one that explains its colour.
function spokesman(cell: Cell) {
  return cell.nodes.find((node) => node.state === cell.state) ?? cell.nodes[0]!
}

function CellButton({ cell, host, column, by, selected, open }: { cell?: Cell; host: string; column: string; by: Columns; selected: string; open: (id: string) => void }) {
  const t = useT()
  if (!cell || cell.state === 'none') return <span className="mark none" aria-label={t('node.none')} role="img" />
  const node = spokesman(cell)
  const chosen = cell.nodes.some((each) => each.id === selected)
  const counts = by === 'stages' ? ` ${cell.done}/${cell.nodes.length}` : ''
  return (
    <button className={cx('mark cell', cell.state, chosen && 'chosen')} onClick={() => open(node.id)} aria-label={`${host}, ${column}: ${nodeWord(t, cell.state)}${counts}`}>
      <span aria-hidden="true">{kNodeGlyphs[cell.state] ?? '?'}</span>
      {by === 'stages' && <span className="cell-count">{`${cell.done}/${cell.nodes.length}`}</span>}
    </button>
  )
}
