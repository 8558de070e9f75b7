import { describe, expect, it } from 'vitest'
import { conflicts, formatAddress, overlap, parseAddress, parseNetwork, podCapacity, serviceCapacity } from './cidr'

const net = (text: string) => {
  const network = parseNetwork(text)
  if (!network) throw new Error(text)
  return network
}

describe('addresses', () => {
  it.each(['999.999.999.999', '1.2.3', '1.2.3.04', '1.2.3.4.5', 'g::1', '1::2::3', '1:2:3:4:5:6:7', ''])(
    'refuses %s',
    (text) => expect(parseAddress(text)).toBeUndefined(),
  )
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['fd00::ABCD', 'fd00::abcd'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
  ])('reads %s', (text, shown) => expect(formatAddress(parseAddress(text)!)).toBe(shown))
})

describe('networks', () => {
  it('overlap when one holds the other', () => {
    expect(overlap(net('10.0.0.0/8'), net('10.244.0.0/16'))).toBe(true)
    expect(overlap(net('10.96.0.0/16'), net('10.97.0.0/16'))).toBe(false)
    expect(overlap(net('fd00::/8'), net('10.0.0.0/8'))).toBe(false)
  })
  it('refuses a prefix that is too long', () => expect(parseNetwork('10.0.0.0/33')).toBeUndefined())
})

describe('capacity', () => {
  it('of pods is nodes times what a node takes', () => {
    expect(podCapacity(net('10.244.0.0/16'), 24, 110)).toEqual({ nodes: 256n, podsPerNode: 110n, pods: 28160n })
    expect(podCapacity(net('10.244.0.0/16'), 27, 110)).toEqual({ nodes: 2048n, podsPerNode: 30n, pods: 61440n })
    expect(podCapacity(net('10.244.0.0/24'), 16, 110)).toBeUndefined()
    expect(podCapacity(net('fd00::/48'), 64, 110)?.nodes).toBe(65536n)
  })
  it('of services leaves the network address out', () => {
    expect(serviceCapacity(net('10.96.0.0/16'))).toBe(65534n)
    expect(serviceCapacity(net('fd01::/64'))).toBe((1n << 20n) - 1n)
  })
})

it('finds networks that lie over each other or over hosts', () => {
  const hosts = [
    { name: 'cp1', addresses: ['10.96.3.4'] },
    { name: 'w1', addresses: ['node.example.org', '192.168.0.9'] },
  ]
  expect(conflicts(['10.96.0.0/16', '10.96.128.0/17', '192.168.0.0/24'], hosts)).toEqual([
    { kind: 'overlap', a: '10.96.0.0/16', b: '10.96.128.0/17' },
    { kind: 'host', network: '10.96.0.0/16', host: 'cp1', address: '10.96.3.4' },
    { kind: 'host', network: '192.168.0.0/24', host: 'w1', address: '192.168.0.9' },
  ])
})
