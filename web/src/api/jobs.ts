import { ask, get, segment } from './client'
import type { Job } from './types'

// Asks until the job has ended; each answer is shown as it comes.
export async function awaitJob<T>(
  id: string,
  onChange: (job: Job<T>) => void,
  signal?: AbortSignal,
): Promise<Job<T>> {
  for (;;) {
    const started = Date.now()
    const job = await get<Job<T>>(`/jobs/${segment(id)}?wait=2`, signal)
    onChange(job)
    if (job.state !== 'running') return job
    // A server that answers at once must not be asked in a tight loop.
    if (Date.now() - started < 300) await new Promise((resolve) => setTimeout(resolve, 300))
  }
}

export async function cancelJob(id: string): Promise<void> {
  await ask(`/jobs/${segment(id)}`, { method: 'DELETE' })
}
