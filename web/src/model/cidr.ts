// Addresses and networks of both families as numbers, and what fits into them.

export interface Address {
  family: 4 | 6
  value: bigint
}

export interface Network extends Address {
  prefix: number
}

export function bits(family: 4 | 6): number {
  return family === 4 ? 32 : 128
}

export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

function parseV4(text: string): Address | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined
  if (parts.some((part) => Number(part) > 255)) return undefined
  return { family: 4, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) }
}

function parseV6(text: string): Address | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = groups(halves[0] ?? '')
  const tail = halves.length === 2 ? groups(halves[1] ?? '') : []
  if (!head || !tail) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const all = [...head, ...Array<number>(missing).fill(0), ...tail]
  return { family: 6, value: all.reduce((sum, group) => sum * 65536n + BigInt(group), 0n) }
}

function groups(text: string): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const embedded = parts.at(-1)?.includes('.') ? parseV4(parts.pop() ?? '') : undefined
  if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined
  const out = parts.map((part) => parseInt(part, 16))
  if (embedded) out.push(Number(embedded.value >> 16n), Number(embedded.value & 0xffffn))
  return out
}

export function parseNetwork(text: string): Network | undefined {
  const match = /^(.+)\/(\d{1,3})$/.exec(text.trim())
  const address = match?.[1] ? parseAddress(match[1]) : undefined
  if (!match || !address) return undefined
  const prefix = Number(match[2])
  if (prefix > bits(address.family)) return undefined
  return { ...address, value: first(address, prefix), prefix }
}

function first(address: Address, prefix: number): bigint {
  const host = BigInt(bits(address.family) - prefix)
  return (address.value >> host) << host
}

export function formatAddress({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const all = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  return shorten(all)
}

// The longest run of zero groups becomes `::`, as RFC 5952 has it.
function shorten(all: string[]): string {
  let best = { at: -1, length: 1 }
  for (let at = 0; at < 8; ++at) {
    let length = 0
    while (all[at + length] === '0') ++length
    if (length > best.length) best = { at, length }
  }
  if (best.at < 0) return all.join(':')
  return `${all.slice(0, best.at).join(':')}::${all.slice(best.at + best.length).join(':')}`
}

export function contains(network: Network, address: Address): boolean {
  return network.family === address.family && first(address, network.prefix) === network.value
}

export function overlap(a: Network, b: Network): boolean {
  return a.prefix <= b.prefix ? contains(a, b) : contains(b, a)
}

export interface PodCapacity {
  nodes: bigint
  podsPerNode: bigint
  pods: bigint
}

// Each node is given a part of the pod network; the first and last address of a part are not for pods.
export function podCapacity(network: Network, nodeMask: number, maxPods: number): PodCapacity | undefined {
  if (nodeMask < network.prefix || nodeMask > bits(network.family)) return undefined
  const nodes = 1n << BigInt(nodeMask - network.prefix)
  const addresses = (1n << BigInt(bits(network.family) - nodeMask)) - 2n
  const room = addresses < 0n ? 0n : addresses
  const podsPerNode = room < BigInt(maxPods) ? room : BigInt(maxPods)
  return { nodes, podsPerNode, pods: nodes * podsPerNode }
}

// kube-apiserver keeps the network's own address and uses no more than 2^20 of an IPv6 network.
export function serviceCapacity(network: Network): bigint {
  const all = 1n << BigInt(bits(network.family) - network.prefix)
  const most = network.family === 6 ? 1n << 20n : all
  const usable = (all < most ? all : most) - (network.family === 4 ? 2n : 1n)
  return usable < 0n ? 0n : usable
}

export type Conflict =
  | { kind: 'overlap'; a: string; b: string }
  | { kind: 'host'; network: string; host: string; address: string }

export function conflicts(networks: string[], hosts: { name: string; addresses: string[] }[]): Conflict[] {
  const parsed = networks.flatMap((text) => {
    const network = parseNetwork(text)
    return network ? [{ text, network }] : []
  })
  const out: Conflict[] = []
  parsed.forEach((a, i) =>
    parsed.slice(i + 1).forEach((b) => {
      if (overlap(a.network, b.network)) out.push({ kind: 'overlap', a: a.text, b: b.text })
    }),
  )
  for (const { text, network } of parsed) {
    for (const host of hosts) {
      const hit = host.addresses.find((each) => within(network, each))
      if (hit) out.push({ kind: 'host', network: text, host: host.name, address: hit })
    }
  }
  return out
}

function within(network: Network, text: string): boolean {
  const address = parseAddress(text)
  return address !== undefined && contains(network, address)
}
