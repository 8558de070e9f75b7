// Long lists: only what is on the screen is in the page.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type ReactNode } from 'react'

interface VirtualListProps {
  count: number
  size: number
  row: (index: number) => ReactNode
  keyOf: (index: number) => string | number
  label: string
  header?: ReactNode
  className?: string
  measured?: boolean // rows of different heights
  follow?: boolean // stay at the end while rows are added
  role?: 'table' | 'log' | 'list'
}

const kRowRole = { table: 'row', log: undefined, list: 'listitem' } as const

export function VirtualList({ count, size, row, keyOf, label, header, className, measured, follow, role = 'table' }: VirtualListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    getItemKey: keyOf,
    overscan: 12,
  })
  useEffect(() => {
    if (follow && count > 0) virtual.scrollToIndex(count - 1)
  }, [follow, count, virtual])
  return (
    <div ref={scroller} className={className ?? 'virtual'} role={role} aria-label={label} aria-rowcount={role === 'table' ? count : undefined} tabIndex={0}>
      {header}
      <div className="virtual-space" role={role === 'table' ? 'rowgroup' : 'presentation'} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={measured ? virtual.measureElement : undefined}
            data-index={item.index}
            data-key={item.key}
            className="virtual-row"
            role={kRowRole[role]}
            aria-rowindex={role === 'table' ? item.index + 1 : undefined}
            style={{ transform: `translateY(${item.start}px)`, height: measured ? undefined : size }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>
  )
}
