// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { client } from './api/queries'
import { App } from './app'

afterEach(() => {
  cleanup()
  client.clear()
  vi.unstubAllGlobals()
})

const session = { state: 'signed-in', version: '1', fingerprint: 'AA', user: 'admin', role: 'admin', csrf: 'x' }

const show = () =>
  render(
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>,
  )

it('keeps what it shows while the server is away', async () => {
  let away = false
  vi.stubGlobal('fetch', async (url: string) => {
    if (away) throw new TypeError('refused')
    return Response.json(url.endsWith('/session') ? session : { items: [] })
  })
  show()
  await screen.findByText('No cluster yet.')
  away = true
  await client.invalidateQueries({ queryKey: ['session'] })
  await waitFor(() => expect(client.getQueryState(['session'])?.status).toBe('error'), { timeout: 10_000 })
  expect(screen.getByText('No cluster yet.')).toBeTruthy()
})

it('goes on by itself when a server that was away as it was opened is there', async () => {
  let asked = 0
  vi.stubGlobal('fetch', async (url: string) => {
    if (++asked < 4) throw new TypeError('refused')
    return Response.json(url.endsWith('/session') ? session : { items: [] })
  })
  show()
  await screen.findByRole('alert', {}, { timeout: 10_000 })
  await screen.findByText('No cluster yet.', {}, { timeout: 10_000 })
})
