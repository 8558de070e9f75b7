// A draft as the server has it, and what was typed since. Changes are sent after a short pause, one
// at a time, each naming the version it was made on; the server's answer is the new truth.
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, ask, get, segment } from '../../api/client'
import { client } from '../../api/queries'
import type { Draft, JsonObject } from '../../api/types'
import { changedPaths } from '../../model/spec'

export interface Overtaken {
  mine: string[] // what was typed here and not kept
  theirs: string[] // what the server has instead
}

export type SaveState = 'saved' | 'dirty' | 'saving' | 'failed'

export interface DraftHandle {
  draft?: Draft
  spec: JsonObject // as typed
  edit: (change: (spec: JsonObject) => JsonObject) => void
  putYaml: (yaml: string) => Promise<void>
  flush: () => Promise<void>
  save: SaveState
  error?: unknown
  overtaken?: Overtaken
  dismiss: () => void
}

const kPause = 400

export class DraftStore {
  draft?: Draft
  typed?: JsonObject
  save: SaveState = 'saved'
  error?: unknown
  overtaken?: Overtaken
  private timer?: ReturnType<typeof setTimeout>
  private sending?: Promise<void>

  constructor(
    private readonly name: string,
    private readonly changed: () => void,
    private readonly pause = kPause,
  ) {}

  private get path() {
    return `/specs/${segment(this.name)}`
  }

  async load() {
    try {
      this.draft = await get<Draft>(this.path)
      this.error = undefined
    } catch (failure) {
      this.error = failure
    }
    this.changed()
  }

  edit(change: (spec: JsonObject) => JsonObject) {
    if (!this.draft) return
    this.typed = change(this.typed ?? this.draft.spec)
    this.save = 'dirty'
    this.overtaken = undefined
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.flush(), this.pause)
    this.changed()
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer)
    while (this.typed || this.sending) {
      if (this.sending) await this.sending
      else await (this.sending = this.send({ spec: this.typed }).finally(() => (this.sending = undefined)))
      if (this.save === 'failed') return
    }
  }

  async putYaml(yaml: string) {
    await this.flush()
    await this.send({ yaml })
    if (this.save === 'failed') throw this.error
  }

  private async send(body: { spec?: JsonObject; yaml?: string }) {
    const sent = this.typed
    this.save = 'saving'
    this.changed()
    try {
      const { body: draft } = await ask<Draft>(this.path, { method: 'PUT', body, headers: { 'If-Match': this.draft!.etag } })
      this.draft = draft
      if (this.typed === sent) this.typed = undefined
      this.save = this.typed ? 'dirty' : 'saved'
      this.error = undefined
    } catch (failure) {
      await this.refused(failure, sent)
    }
    this.changed()
  }

  // 412: somebody else was faster. What was typed is named, then given up: the server has the truth.
  private async refused(failure: unknown, sent?: JsonObject) {
    this.save = 'failed'
    this.error = failure
    if (!(failure instanceof ApiError) || failure.status !== 412) return
    const before = this.draft!
    await this.load()
    this.overtaken = { mine: sent ? changedPaths(before.spec, sent) : ['YAML'], theirs: changedPaths(before.spec, this.draft!.spec) }
    this.typed = undefined
    this.save = 'saved'
    this.error = undefined
  }
}

export function useDraft(name: string): DraftHandle {
  const [, setVersion] = useState(0)
  const store = useRef<DraftStore>(undefined)
  store.current ??= new DraftStore(name, () => setVersion((before) => before + 1))
  const { current } = store
  useEffect(() => {
    void current.load()
    return () => {
      void current.flush().then(() => client.invalidateQueries({ queryKey: ['specs'] }))
    }
  }, [current])
  return {
    draft: current.draft,
    spec: current.typed ?? current.draft?.spec ?? {},
    edit: useCallback((change) => current.edit(change), [current]),
    putYaml: useCallback((yaml) => current.putYaml(yaml), [current]),
    flush: useCallback(() => current.flush(), [current]),
    save: current.save,
    error: current.error,
    overtaken: current.overtaken,
    dismiss: () => {
      current.overtaken = undefined
      setVersion((before) => before + 1)
    },
  }
}
