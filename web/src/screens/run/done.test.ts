import { expect, it } from 'vitest'
import { caOf } from './done'

it('finds the CA in a kubeconfig', () => {
  const pem = '-----BEGIN CERTIFICATE-----\n'
  const text = `clusters:\n- cluster:\n    certificate-authority-data: ${btoa(pem)}\n    server: https://x\n`
  expect(new TextDecoder().decode(caOf(text))).toBe(pem)
  expect(caOf('kind: Config')).toBeUndefined()
})
