// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { readFileSync } from 'node:fs'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import type { Draft, JsonObject, SpecProblem } from '../api/types'
import type { Path } from '../model/spec'
import type { DraftHandle } from '../screens/draft/use-draft'
import { SpecField } from './schema-form'

afterEach(cleanup)

const schema = JSON.parse(readFileSync('mock/fixtures/schema.json', 'utf8')) as JsonObject
let last: JsonObject = {}

function Form({ path, start, problems = [] }: { path: Path; start: JsonObject; problems?: SpecProblem[] }) {
  const [spec, setSpec] = useState(start)
  last = spec
  const handle = { spec, edit: (change: (spec: JsonObject) => JsonObject) => setSpec(change), draft: { problems } as unknown as Draft } as unknown as DraftHandle
  return <SpecField handle={handle} path={path} />
}

function show(path: Path, start: JsonObject = {}, problems?: SpecProblem[]) {
  const client = new QueryClient()
  client.setQueryData(['schema'], schema)
  client.setQueryDefaults(['schema'], { staleTime: Infinity })
  render(
    <QueryClientProvider client={client}>
      <Form path={path} start={start} problems={problems} />
    </QueryClientProvider>,
  )
}

it('writes a number, and takes it out again when the field is emptied', async () => {
  show(['spec', 'limits', 'retries'])
  const field = screen.getByLabelText('retries')
  expect(field.getAttribute('placeholder')).toBe('4')
  await userEvent.type(field, '7')
  expect(last).toEqual({ spec: { limits: { retries: 7 } } })
  await userEvent.clear(field)
  expect(last).toEqual({})
})

it('keeps a list while it is being typed', async () => {
  show(['spec', 'kubernetes', 'networks', 'pods'])
  await userEvent.type(screen.getByLabelText('pods'), '10.1.0.0/16, fd00::/48')
  expect(last).toEqual({ spec: { kubernetes: { networks: { pods: ['10.1.0.0/16', 'fd00::/48'] } } } })
})

it('a switch holds only what differs from its default', async () => {
  show(['spec', 'os', 'swapOff'])
  const box = screen.getByRole<HTMLInputElement>('checkbox')
  expect(box.checked).toBe(true)
  await userEvent.click(box)
  expect(last).toEqual({ spec: { os: { swapOff: false } } })
  await userEvent.click(box)
  expect(last).toEqual({})
})

it('offers the choices of the schema', async () => {
  show(['spec', 'networkPlugin', 'kind'])
  await userEvent.selectOptions(screen.getByRole('combobox'), 'cilium')
  expect(last).toEqual({ spec: { networkPlugin: { kind: 'cilium' } } })
})

it("shows the server's problem at its field", () => {
  show(['spec', 'limits', 'retries'], { spec: { limits: { retries: 999 } } }, [{ id: 'X', severity: 'error', path: 'limits.retries', what: '999 is out of range', todo: 'from 0 to 100' }])
  expect(screen.getByLabelText('retries').getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByText(/999 is out of range; from 0 to 100/)).toBeTruthy()
})

it('draws a whole group', () => {
  show(['spec', 'limits'])
  expect(screen.getAllByRole('spinbutton').length).toBeGreaterThan(5)
})
