// Networks of the cluster: what fits into them, what they collide with, and which ports must be open.
import { useMemo } from 'react'
import type { Json } from '../../api/types'
import { useSpeech, useT, type Key } from '../../i18n'
import { conflicts, parseNetwork, podCapacity, serviceCapacity, type Conflict } from '../../model/cidr'
import { count } from '../../model/format'
import { hostsWith, portRows, type PortRow } from '../../model/ports'
import { getAt, hostsOf, problemsBelow } from '../../model/spec'
import { Badge, FieldProblems, Section } from '../../ui/basic'
import { SpecField } from '../../ui/schema-form'
import { Table } from '../../ui/table'
import { useSchema } from '../../api/queries'
import { describe, schemaAt } from '../../model/schema'
import type { DraftHandle } from './use-draft'

const kNetworks = ['spec', 'kubernetes', 'networks']

// A value of the spec, or the default its schema names.
function useValue(handle: DraftHandle, path: (string | number)[]): Json | undefined {
  const schema = useSchema().data
  const rule = schema && schemaAt(schema, path)
  return getAt(handle.spec, path) ?? (rule ? describe(rule).default : undefined)
}

const texts = (value: Json | undefined) => (Array.isArray(value) ? value.map(String) : [])

export function NetworkStep({ handle }: { handle: DraftHandle }) {
  const t = useT()
  return (
    <div className="step">
      <div className="columns">
        <Section title={t('network.inside')}>
          <SpecField handle={handle} path={[...kNetworks, 'pods']} label={t('network.pods')} />
          <SpecField handle={handle} path={[...kNetworks, 'services']} label={t('network.services')} />
          <div className="row top">
            <SpecField handle={handle} path={[...kNetworks, 'nodeMaskV4']} label={t('network.node-mask')} />
            <SpecField handle={handle} path={[...kNetworks, 'nodeMaskV6']} label={t('network.node-mask-v6')} />
            <SpecField handle={handle} path={['spec', 'kubernetes', 'maxPods']} label={t('network.max-pods')} />
          </div>
          <SpecField handle={handle} path={['spec', 'networkPlugin', 'kind']} label={t('network.plugin')} />
          <SpecField handle={handle} path={['spec', 'networkPlugin', 'values']} />
          <SpecField handle={handle} path={[...kNetworks, 'proxyMode']} label={t('network.proxy')} />
        </Section>
        <div>
          <Capacity handle={handle} />
          <Section title={t('network.endpoint')}>
            <FieldProblems problems={problemsBelow(handle.draft!.problems, 'kubernetes.endpoint').filter((problem) => problem.path === 'kubernetes.endpoint')} />
            {['kind', 'domain', 'address', 'port', 'interface', 'vipMode'].map((field) => (
              <SpecField key={field} handle={handle} path={['spec', 'kubernetes', 'endpoint', field]} />
            ))}
          </Section>
        </div>
      </div>
      <Ports handle={handle} />
    </div>
  )
}

function Capacity({ handle }: { handle: DraftHandle }) {
  const { t, language } = useSpeech()
  const pods = texts(useValue(handle, [...kNetworks, 'pods']))
  const services = texts(useValue(handle, [...kNetworks, 'services']))
  const maskV4 = Number(useValue(handle, [...kNetworks, 'nodeMaskV4']) ?? 24)
  const maskV6 = Number(useValue(handle, [...kNetworks, 'nodeMaskV6']) ?? 64)
  const maxPods = Number(useValue(handle, ['spec', 'kubernetes', 'maxPods']) ?? 110)
  const hosts = useMemo(() => hostsOf(handle.spec), [handle.spec])
  const nodes = hostsWith('node', hosts).length
  const found = conflicts(
    [...pods, ...services],
    hosts.map((host) => ({ name: host.name, addresses: [host.address, host.internalAddress ?? ''] })),
  )
  const n = (value: bigint | number) => count(value, language)
  return (
    <Section title={t('network.capacity')}>
      <Table label={t('network.capacity')} columns={['network.network', 'network.holds']} actions>
        {pods.map((text) => {
          const network = parseNetwork(text)
          const room = network && podCapacity(network, network.family === 4 ? maskV4 : maskV6, maxPods)
          return (
            <tr key={text}>
              <td className="mono">{text}</td>
              <td>{room ? t('network.pod-room', { nodes: n(room.nodes), per: n(room.podsPerNode), pods: n(room.pods) }) : t('network.unreadable')}</td>
              <td>{room && <Badge tone={room.nodes >= BigInt(nodes) ? 'good' : 'bad'}>{t('network.nodes-planned', { n: nodes })}</Badge>}</td>
            </tr>
          )
        })}
        {services.map((text) => {
          const network = parseNetwork(text)
          return (
            <tr key={text}>
              <td className="mono">{text}</td>
              <td>{network ? t('network.service-room', { n: n(serviceCapacity(network)) }) : t('network.unreadable')}</td>
              <td />
            </tr>
          )
        })}
      </Table>
      <div role="status">
        {found.length === 0 ? (
          <Badge tone="good">{t('network.no-conflict')}</Badge>
        ) : (
          <ul className="problems">
            {found.slice(0, 10).map((conflict, i) => (
              <li key={i} className="bad-text">
                <span aria-hidden="true">✗ </span>
                <ConflictWords conflict={conflict} />
              </li>
            ))}
            {found.length > 10 && <li>{t('failure.more', { n: found.length - 10 })}</li>}
          </ul>
        )}
      </div>
    </Section>
  )
}

function ConflictWords({ conflict }: { conflict: Conflict }) {
  const t = useT()
  if (conflict.kind === 'overlap') return t('network.overlap', { a: conflict.a, b: conflict.b })
  return t('network.holds-host', { network: conflict.network, host: conflict.host, address: conflict.address })
}

const kUses: Record<PortRow['use'], Key> = { api: 'port.api', etcd: 'port.etcd', kubelet: 'port.kubelet', registry: 'port.registry', pods: 'port.pods', ssh: 'port.ssh' }
const kPlaces: Record<string, Key> = { every: 'place.every', node: 'place.node', slipway: 'place.slipway' }

function Ports({ handle }: { handle: DraftHandle }) {
  const t = useT()
  const hosts = useMemo(() => hostsOf(handle.spec), [handle.spec])
  const etcdMode = String(useValue(handle, ['spec', 'etcd', 'mode']) ?? 'stacked')
  const plugin = String(useValue(handle, ['spec', 'networkPlugin', 'kind']) ?? 'flannel')
  const registryPort = Number(useValue(handle, ['spec', 'registry', 'port']) ?? 5000)
  const place = (name: string) => {
    const word = kPlaces[name]
    const shown = word ? t(word) : name
    return name === 'slipway' ? shown : `${shown} (${hostsWith(name, hosts).length})`
  }
  return (
    <Section title={t('network.ports')} note={t('network.ports-note')}>
      <Table label={t('network.ports')} columns={['network.from', 'network.to', 'network.port', 'network.use']}>
        {portRows({ hosts, etcdMode, plugin, registryPort }).map((row, i) => (
          <tr key={i}>
            <td>{place(row.from)}</td>
            <td>{place(row.to)}</td>
            <td className="mono">{row.ports.join(', ')}</td>
            <td>{t(kUses[row.use])}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
