// Names for many hosts from one pattern: node-{01} is node-01, node-02 …; {7} begins at 7.

export const kHostName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

export type BadPattern = 'no-number' | 'name' | 'taken'

// New names in the order of the hosts, or why there are none. `others` are the names that stay.
export function namesBy(pattern: string, count: number, others: string[]): string[] | BadPattern {
  const match = /^([^{}]*)\{(\d{1,6})\}([^{}]*)$/.exec(pattern)
  if (!match) return 'no-number'
  const [, before = '', first = '', after = ''] = match
  const names = Array.from({ length: count }, (_, i) => before + String(Number(first) + i).padStart(first.length, '0') + after)
  if (!names.every((name) => kHostName.test(name))) return 'name'
  const taken = new Set(others)
  return names.some((name) => taken.has(name)) ? 'taken' : names
}
