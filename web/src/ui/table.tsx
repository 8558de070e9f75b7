// A table with its head; what is wider than its place is scrolled.
import type { ReactNode } from 'react'
import { useT, type Key } from '../i18n'

interface TableProps {
  label: string
  columns: Key[]
  actions?: boolean // a last column without a title
  children: ReactNode // rows
}

export function Table({ label, columns, actions, children }: TableProps) {
  const t = useT()
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {t(column)}
              </th>
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
