// A bundle in parts. The server says how much it has; that is where each part begins, so an upload
// that was cut goes on from there, in this page or another.
import { ApiError, ask, get, segment } from './client'
import type { BundleSummary, List } from './types'

export const kPart = 8 * 1024 * 1024

export interface UploadOptions {
  onProgress: (received: number) => void
  signal: AbortSignal
  part?: number
}

export async function upload(file: File, options: UploadOptions): Promise<void> {
  let received = await begin(file)
  options.onProgress(received)
  while (received < file.size) {
    options.signal.throwIfAborted()
    received = await sendPart(file, received, options)
    options.onProgress(received)
  }
}

async function begin(file: File): Promise<number> {
  const list = await get<List<BundleSummary>>('/bundles?limit=1000')
  const there = list.items.find((bundle) => bundle.name === file.name)
  if (there?.state === 'uploading' && there.size === file.size) return there.received ?? 0
  const { body } = await ask<{ received: number }>('/bundles', {
    method: 'POST',
    body: { name: file.name, size: file.size },
  })
  return body.received
}

async function sendPart(file: File, from: number, options: UploadOptions): Promise<number> {
  const end = Math.min(file.size, from + (options.part ?? kPart))
  try {
    const { body } = await ask<{ received: number }>(`/bundles/${segment(file.name)}`, {
      method: 'PATCH',
      body: file.slice(from, end),
      headers: { 'Content-Range': `bytes ${from}-${end - 1}/${file.size}` },
      signal: options.signal,
    })
    return body.received
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    return whereItIs(file.name)
  }
}

async function whereItIs(name: string): Promise<number> {
  return (await get<{ received?: number }>(`/bundles/${segment(name)}`)).received ?? 0
}
