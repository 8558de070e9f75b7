import { expect, it } from 'vitest'
import { hostsWith, portRows } from './ports'

const hosts = [
  { name: 'cp1', address: '10.0.0.1', roles: ['control-plane'] },
  { name: 'w1', address: '10.0.0.2', roles: ['worker'], port: 2222 },
  { name: 'e1', address: '10.0.0.3', roles: ['etcd'] },
]

it('follows etcd, plugin and registry', () => {
  const rows = portRows({ hosts, etcdMode: 'managed', plugin: 'calico', registryPort: 5000 })
  expect(rows.find((row) => row.use === 'ssh')?.ports).toEqual(['22/tcp', '2222/tcp'])
  expect(rows.filter((row) => row.use === 'etcd').map((row) => `${row.from}>${row.to}`)).toEqual(['etcd>etcd', 'control-plane>etcd'])
  expect(rows.find((row) => row.use === 'pods')?.ports).toContain('4789/udp')
  expect(portRows({ hosts, etcdMode: 'external', plugin: 'none', registryPort: 5000 }).map((row) => row.use)).toEqual(['ssh', 'api', 'kubelet', 'registry'])
})

it('counts hosts of a role; etcd alone is no node', () => {
  expect(hostsWith('node', hosts).map((host) => host.name)).toEqual(['cp1', 'w1'])
  expect(hostsWith('every', hosts)).toHaveLength(3)
})
