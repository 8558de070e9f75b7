// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import type { Host } from '../../model/spec'
import { EditHosts } from './hosts-edit'
import { fits } from './hosts-scan'

afterEach(cleanup)

const hosts: Host[] = ['a', 'b'].map((name) => ({ name, address: `10.0.0.${name}`, roles: ['worker'], labels: { disk: 'hdd' } }))

function show() {
  const changed: Host[][] = []
  const close = vi.fn()
  render(<EditHosts hosts={hosts} others={['node-3']} update={(next) => changed.push(hosts.map(next))} close={close} />)
  return { changed, close }
}

it('renames by a pattern, with a preview, and refuses names that are taken', async () => {
  const { changed } = show()
  const field = screen.getByLabelText('New names')
  await userEvent.click(field)
  await userEvent.paste('node-{2}')
  expect(screen.getByText('Another host has one of these names.')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Change 2 hosts' }).disabled).toBe(true)
  await userEvent.clear(field)
  await userEvent.paste('node-{04}')
  expect(screen.getByText(/b → node-05/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Change 2 hosts' }))
  expect(changed[0]!.map((host) => host.name)).toEqual(['node-04', 'node-05'])
  expect(changed[0]![0]).toMatchObject({ labels: { disk: 'hdd' }, roles: ['worker'] })
})

it('sets user, port and a label, and leaves what is empty', async () => {
  const { changed, close } = show()
  await userEvent.type(screen.getByLabelText('User'), 'ops')
  await userEvent.type(screen.getByLabelText('Port'), '70000')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Change 2 hosts' }).disabled).toBe(true)
  await userEvent.clear(screen.getByLabelText('Port'))
  await userEvent.type(screen.getByLabelText('Port'), '2222')
  await userEvent.type(screen.getByLabelText('Label'), 'disk')
  await userEvent.click(screen.getByRole('button', { name: 'Change 2 hosts' }))
  expect(changed[0]![1]).toEqual({ name: 'b', address: '10.0.0.b', roles: ['worker'], labels: undefined, user: 'ops', port: 2222 })
  expect(close).toHaveBeenCalled()
})

it('knows which networks are scanned', () => {
  expect(['10.0.0.0/24', '10.0.0.0/22', 'fd00::/118'].every(fits)).toBe(true)
  expect(['10.0.0.0/21', 'fd00::/64', 'x', ''].some(fits)).toBe(false)
})
