// Checks a person has decided to overrule for a draft. Kept for as long as the tab lives, as the answers of the checks are:
// whoever opens the draft later decides anew.
import { useState } from 'react'

export interface Ignored {
  ids: string[]
  add: (id: string) => void
  take: (id: string) => void // it counts again
}

const keyOf = (draft: string) => `slipway.ignore.${draft}`

function read(draft: string): string[] {
  return (sessionStorage.getItem(keyOf(draft)) ?? '').split(',').filter(Boolean)
}

export function useIgnored(draft: string): Ignored {
  const [ids, setIds] = useState(() => read(draft))
  const change = (next: string[]) => {
    sessionStorage.setItem(keyOf(draft), next.join())
    setIds(next)
  }
  return { ids, add: (id) => change([...new Set([...ids, id])].sort()), take: (id) => change(ids.filter((each) => each !== id)) }
}
