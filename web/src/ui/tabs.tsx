import { Tabs as Base } from '@base-ui/react/tabs'
import { type ReactNode } from 'react'

export interface Tab<T extends string> {
  value: T
  label: ReactNode
  content: () => ReactNode
}

interface TabsProps<T extends string> {
  value: T
  onChange: (value: T) => void
  tabs: Tab<T>[]
  label: string
  className?: string
}

export function Tabs<T extends string>({ value, onChange, tabs, label, className }: TabsProps<T>) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as T)} className={className ?? 'tabs'}>
      <Base.List className="tab-list" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className="tab">
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="tab-panel">
          {tab.value === value && tab.content()}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
