// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { AddHosts } from './hosts-add'

afterEach(cleanup)

it('adds what can be read, tells what cannot, and leaves out what is there', async () => {
  const add = vi.fn()
  const close = vi.fn()
  render(<AddHosts taken={['w1']} add={add} close={close} />)
  await userEvent.click(screen.getByLabelText('List of hosts'))
  await userEvent.paste('w[1-3] 10.0.0.[1-3]\n999.1.1.1')
  expect(screen.getByText(/is neither an IP address nor a host name/)).toBeTruthy()
  expect(screen.getByText(/1 are in the draft already/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Add 2 hosts' }))
  expect(add).toHaveBeenCalledWith([
    { name: 'w2', address: '10.0.0.2', roles: ['worker'] },
    { name: 'w3', address: '10.0.0.3', roles: ['worker'] },
  ])
  expect(close).toHaveBeenCalled()
})
