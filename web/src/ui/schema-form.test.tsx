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
  expect(document.querySelector('.field-problems')?.textContent).toContain('999 is out of range; from 0 to 100')
})

it('draws a whole group', () => {
  show(['spec', 'limits'])
  expect(screen.getAllByRole('spinbutton').length).toBeGreaterThan(5)
})

const hooks = ['spec', 'hooks', 'operatorPreInstall']

it('edits a list of objects: add, type, move, remove, with the keyboard where the work is', async () => {
  show(hooks)
  await userEvent.click(screen.getByRole('button', { name: 'Add to operatorPreInstall' }))
  expect(document.activeElement).toBe(screen.getByLabelText('name'))
  await userEvent.keyboard('first')
  await userEvent.type(screen.getByLabelText('command'), '/bin/echo{Enter}a, b')
  expect(last).toEqual({ spec: { hooks: { operatorPreInstall: [{ name: 'first', command: ['/bin/echo', 'a, b'] }] } } })
  await userEvent.click(screen.getByRole('button', { name: 'Add to operatorPreInstall' }))
  await userEvent.keyboard('second')
  await userEvent.click(screen.getByRole('button', { name: 'Move second of operatorPreInstall up' }))
  expect(last).toMatchObject({ spec: { hooks: { operatorPreInstall: [{ name: 'second' }, { name: 'first' }] } } })
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move second of operatorPreInstall down' }))
  await userEvent.click(screen.getByRole('button', { name: 'Remove second from operatorPreInstall' }))
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add to operatorPreInstall' }))
  await userEvent.click(screen.getByRole('button', { name: 'Remove first from operatorPreInstall' }))
  expect(last).toEqual({})
})

it('keeps an entry whose only field is emptied while one types', async () => {
  show(hooks, { spec: { hooks: { operatorPreInstall: [{ name: 'a' }] } } })
  await userEvent.clear(screen.getByLabelText('name'))
  expect(last).toEqual({ spec: { hooks: { operatorPreInstall: [{}] } } })
  expect(document.activeElement).toBe(screen.getByLabelText('name'))
})

it('places a problem at the field of its entry', () => {
  const start = { spec: { hooks: { operatorPreInstall: [{ name: 'a' }, { name: 'B' }] } } }
  show(hooks, start, [{ id: 'X', severity: 'error', path: 'hooks.operatorPreInstall[1].name', what: 'is not a name', todo: '' }])
  const names = screen.getAllByLabelText('name')
  expect(names.map((field) => field.getAttribute('aria-invalid'))).toEqual([null, 'true'])
})

it('edits a map, also one whose key is half typed', async () => {
  show(['spec', 'registry', 'mirrors'], {}, [{ id: 'X', severity: 'error', path: 'registry.mirrors["docker.io"]', what: 'is not a registry', todo: '' }])
  await userEvent.click(screen.getByRole('button', { name: 'Add to mirrors' }))
  expect(last).toEqual({})
  await userEvent.type(screen.getByLabelText('mirrors, key 1'), 'docker.io')
  await userEvent.type(screen.getByLabelText('mirrors, value 1'), 'm.lan')
  expect(last).toEqual({ spec: { registry: { mirrors: { 'docker.io': 'm.lan' } } } })
  expect(screen.getByLabelText('mirrors, value 1').getAttribute('aria-invalid')).toBe('true')
  await userEvent.click(screen.getByRole('button', { name: 'Remove docker.io from mirrors' }))
  expect(last).toEqual({})
})

it('edits maps of switches and of lists', async () => {
  show(['spec', 'kubernetes', 'featureGates'], { spec: { kubernetes: { featureGates: { A: true } } } })
  await userEvent.selectOptions(screen.getByLabelText('featureGates, value 1'), 'false')
  expect(last).toEqual({ spec: { kubernetes: { featureGates: { A: false } } } })
  cleanup()
  show(['spec', 'kubernetes', 'dns', 'hosts'], { spec: { kubernetes: { dns: { hosts: { '10.0.0.7': ['a.lan'] } } } } })
  await userEvent.type(screen.getByLabelText('hosts, value 1'), ', b.lan')
  expect(last).toEqual({ spec: { kubernetes: { dns: { hosts: { '10.0.0.7': ['a.lan', 'b.lan'] } } } } })
})

it('says where a secret comes from, never the secret', async () => {
  show(['spec', 'registry', 'logins'], { spec: { registry: { logins: [{ host: 'r.lan' }] } } })
  await userEvent.selectOptions(screen.getByLabelText('password'), 'env')
  await userEvent.type(screen.getByLabelText(/^password: A variable/), 'TOKEN')
  expect(last).toEqual({ spec: { registry: { logins: [{ host: 'r.lan', password: { env: 'TOKEN' } }] } } })
})

it('offers roles as boxes', async () => {
  show(['spec', 'hooks', 'preInstall'], { spec: { hooks: { preInstall: [{ name: 'a' }] } } })
  await userEvent.click(screen.getByLabelText('worker'))
  await userEvent.click(screen.getByLabelText('etcd'))
  expect(last).toMatchObject({ spec: { hooks: { preInstall: [{ name: 'a', roles: ['etcd', 'worker'] }] } } })
})
