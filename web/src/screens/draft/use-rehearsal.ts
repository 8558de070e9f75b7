import { useState } from 'react'

// Whether a draft is tried on simulated hosts: the same for its checks and its plan, for as long as the tab lives.
export function useRehearsal(draft: string): [boolean, (on: boolean) => void] {
  const key = `slipway.simulate.${draft}`
  const [on, setOn] = useState(() => sessionStorage.getItem(key) === 'true')
  const set = (next: boolean) => {
    sessionStorage.setItem(key, String(next))
    setOn(next)
  }
  return [on, set]
}
