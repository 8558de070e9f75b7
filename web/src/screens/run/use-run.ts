import { useEffect, useRef, useState } from 'react'
import { segment } from '../../api/client'
import { client } from '../../api/queries'
import { follow, type StreamState } from '../../api/sse'
import type { RunEvent } from '../../api/types'
import { RunModel } from '../../model/run'

export interface LiveRun {
  model: RunModel
  version: number
  stream: StreamState
  reopen: () => void // a run that had ended goes on: follow it again
}

// Events are taken up once a frame: a thousand hosts may say thousands of things a second.
export function useRun(cluster: string, run: string): LiveRun {
  const model = useRef(new RunModel())
  const [version, setVersion] = useState(0)
  const [stream, setStream] = useState<StreamState>('connecting')
  const [round, setRound] = useState(0)
  useEffect(() => {
    const queue: RunEvent[] = []
    let scheduled: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      scheduled = undefined
      model.current.take(queue.splice(0))
      setVersion(model.current.version)
    }
    const stop = follow({
      path: `/clusters/${segment(cluster)}/runs/${segment(run)}/events`,
      after: model.current.lastSeq,
      onEvents: (events) => {
        queue.push(...events)
        scheduled ??= setTimeout(flush, 50)
      },
      onState: (state) => {
        if (state === 'ended') {
          flush()
          model.current.abandon()
          setVersion(model.current.version)
          void client.invalidateQueries({ queryKey: ['cluster', cluster] })
          void client.invalidateQueries({ queryKey: ['clusters'] })
        }
        setStream(state)
      },
    })
    return () => {
      stop()
      if (scheduled) clearTimeout(scheduled)
      model.current.take(queue.splice(0))
    }
  }, [cluster, run, round])
  return { model: model.current, version, stream, reopen: () => setRound((before) => before + 1) }
}

// The time, now and then, while something is going on.
export function useNow(going: boolean, every = 1000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!going) return
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [going, every])
  return now
}
