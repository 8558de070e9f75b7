// Which ports hosts must reach on each other, by role. The same table as the program's checks.
import type { Host } from './spec'

export interface PortRow {
  from: string
  to: string
  ports: string[]
  use: 'api' | 'etcd' | 'kubelet' | 'registry' | 'pods' | 'ssh'
}

export interface PortInput {
  hosts: Host[]
  etcdMode: string
  plugin: string
  registryPort: number
}

const kPluginPorts: Record<string, string[]> = {
  flannel: ['8472/udp'],
  cilium: ['8472/udp', '4240/tcp'],
  calico: ['4789/udp', '179/tcp', '5473/tcp'],
}

export function portRows({ hosts, etcdMode, plugin, registryPort }: PortInput): PortRow[] {
  const has = (role: string) => hosts.some((host) => host.roles.includes(role))
  const etcd = etcdMode === 'managed' ? 'etcd' : 'control-plane'
  const rows: PortRow[] = [{ from: 'slipway', to: 'every', ports: [...new Set(hosts.map((host) => `${host.port ?? 22}/tcp`))].sort(), use: 'ssh' }]
  rows.push({ from: 'node', to: 'control-plane', ports: ['6443/tcp'], use: 'api' })
  if (etcdMode !== 'external') {
    rows.push({ from: etcd, to: etcd, ports: ['2379-2380/tcp'], use: 'etcd' })
    if (etcd === 'etcd') rows.push({ from: 'control-plane', to: 'etcd', ports: ['2379/tcp'], use: 'etcd' })
  }
  rows.push({ from: 'control-plane', to: 'node', ports: ['10250/tcp'], use: 'kubelet' })
  rows.push({ from: 'node', to: has('registry') ? 'registry' : 'control-plane', ports: [`${registryPort}/tcp`], use: 'registry' })
  const overlay = kPluginPorts[plugin]
  if (overlay) rows.push({ from: 'node', to: 'node', ports: overlay, use: 'pods' })
  return rows
}

export function hostsWith(role: string, hosts: Host[]): Host[] {
  if (role === 'every') return hosts
  if (role === 'node') return hosts.filter((host) => host.roles.some((each) => each === 'control-plane' || each === 'worker'))
  return hosts.filter((host) => host.roles.includes(role))
}
