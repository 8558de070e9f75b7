// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import type { RunEvent, StepInfo } from '../../api/types'
import { RunModel } from '../../model/run'
import { FailurePanel } from './failure'

afterEach(cleanup)

const events = readFileSync('mock/fixtures/events.jsonl', 'utf8').trim().split('\n').map((line) => JSON.parse(line) as RunEvent)
const { steps } = JSON.parse(readFileSync('mock/fixtures/steps.json', 'utf8')) as { steps: StepInfo[] }

function show(model: RunModel) {
  const client = new QueryClient()
  client.setQueryDefaults(['steps'], { staleTime: Infinity })
  client.setQueryData(['steps'], steps)
  const act = vi.fn(async () => {})
  render(
    <QueryClientProvider client={client}>
      <FailurePanel cluster="demo" run="1" model={model} version={1} act={act} open={() => {}} />
    </QueryClientProvider>,
  )
  return act
}

it('tells a recorded failure whole: what, where, cause, remedy, id', async () => {
  const model = new RunModel()
  model.take(events)
  const act = show(model)
  const text = screen.getByRole('region').textContent
  for (const part of ['set-sysctls', 'read-only file system', 'SIMULATED-FAULT', 'w2', 'the simulation profile asks for this fault', 'change the fault in the profile, then resume']) expect(text).toContain(part)
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
  expect(act).toHaveBeenCalledWith('retry', 'w2/set-sysctls')
})

it('renders markup in the text of a host as text, and offers skipping only where it is allowed', () => {
  const model = new RunModel()
  const more = { run: 1, time: '2026-01-01T00:00:00.000Z', host: 'w1', step: 'start-kubelet' }
  model.take([
    { ...more, seq: 1, type: 'log.line', level: 'debug', stream: 'stderr', line: '\u001b[31m<img src=x onerror=alert(1)>' },
    { ...more, seq: 2, type: 'step.finished', level: 'error', outcome: 'failed', error: 'E', message: '<script>alert(1)</script>', cause: '', remedy: '' },
  ])
  show(model)
  expect(document.querySelector('img, script')).toBeNull()
  expect(screen.getByRole('log').textContent).toContain('<img src=x onerror=alert(1)>')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Skip' }).disabled).toBe(true)
  expect(screen.getByText('it runs everything else')).toBeTruthy()
})
