// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KubeView } from '../api/types'
import { SpeechProvider } from '../i18n'
import { Kubernetes } from './cluster'

beforeEach(() => localStorage.clear())
afterEach(cleanup)

function show(view: Partial<KubeView>, language = 'en') {
  localStorage.setItem('slipway.language', language)
  render(
    <SpeechProvider>
      <Kubernetes name="demo" view={{ server: 'https://10.0.0.1:6443', answers: false, ...view }} />
    </SpeechProvider>,
  )
}

const simulated = { simulated: true, why: 'the hosts are simulated, so there is nobody to ask' }

it('says of simulated hosts that there is no cluster, and not that something is wrong', () => {
  show(simulated)
  expect(screen.queryByRole('alert')).toBeNull()
  const banner = screen.getByRole('status')
  expect(banner.className).toBe('banner info')
  expect(banner.textContent).toContain('The hosts are simulated')
})

it('says so in Chinese, without a word of English', () => {
  show(simulated, 'zh')
  expect(screen.getByRole('status').textContent).toMatch(/^i主机是模拟的[^a-z]*$/)
})

it('takes a cluster that does not answer for a failure, with the reason', () => {
  show({ why: 'connection refused' })
  const alert = screen.getByRole('alert')
  expect(alert.textContent).toContain('https://10.0.0.1:6443 does not answer')
  expect(alert.querySelector('[lang=en]')?.textContent).toBe('connection refused')
})
