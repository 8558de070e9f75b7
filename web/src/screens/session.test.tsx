// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { Unlock } from './session'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const session = { state: 'locked', version: '1', fingerprint: 'AA:BB' } as const

it('unlocks only with a code and a password typed twice alike, and says what the server says', async () => {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    sent.push(JSON.parse(String(init.body)))
    return Response.json({ title: 'x', status: 403, id: 'SERVER-CODE', detail: 'this is not the code', remedy: 'look at the console' }, { status: 403 })
  })
  render(<Unlock session={session} />)
  expect(screen.getByText('AA:BB')).toBeTruthy()
  const submit = screen.getByRole<HTMLButtonElement>('button', { name: 'Unlock' })
  await userEvent.type(screen.getByLabelText('Code from the console'), ' ABCD ')
  await userEvent.type(screen.getByLabelText('New password'), 'long enough indeed')
  await userEvent.type(screen.getByLabelText('Password again'), 'long enough')
  expect(submit.disabled).toBe(true)
  await userEvent.type(screen.getByLabelText('Password again'), ' indeed')
  await userEvent.click(submit)
  expect(sent).toEqual([{ code: 'ABCD', password: 'long enough indeed' }])
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toContain('this is not the code')
  expect(alert.textContent).toContain('look at the console')
})
