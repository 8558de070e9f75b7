import { describe, expect, it } from 'vitest'
import { expandRange, parseHostList } from './hostlist'

describe('a pasted list', () => {
  it('counts through ranges', () => {
    const { hosts, bad } = parseHostList('10.0.0.[9-12]\nw[01-02] 10.0.1.[1-2] worker')
    expect(bad).toEqual([])
    expect(hosts).toEqual([
      { name: 'node-10-0-0-9', address: '10.0.0.9' },
      { name: 'node-10-0-0-10', address: '10.0.0.10' },
      { name: 'node-10-0-0-11', address: '10.0.0.11' },
      { name: 'node-10-0-0-12', address: '10.0.0.12' },
      { name: 'w01', address: '10.0.1.1', roles: ['worker'] },
      { name: 'w02', address: '10.0.1.2', roles: ['worker'] },
    ])
  })

  it('reads users, ports, roles, names and comments', () => {
    const { hosts } = parseHostList(
      '# ours\n\ncp1 ops@10.0.0.5:2222 control-plane,etcd  # first\nnode7.example.org master\n[fd00::7]:22\nfd00::8\nhere local',
    )
    expect(hosts).toEqual([
      { name: 'cp1', address: '10.0.0.5', user: 'ops', port: 2222, roles: ['control-plane', 'etcd'] },
      { name: 'node7', address: 'node7.example.org', roles: ['control-plane'] },
      { name: 'node-fd00-7', address: 'fd00::7', port: 22 },
      { name: 'node-fd00-8', address: 'fd00::8' },
      { name: 'here', address: 'local' },
    ])
  })

  it('says what is wrong with each line and keeps the others', () => {
    const { hosts, bad } = parseHostList(
      '999.999.999.999\n10.0.0.[5-1]\na[1-2] 10.0.0.[1-3]\n10.0.0.1:99999\na b c d\n10.0.0.7\nnode-10-0-0-7 10.0.0.8',
    )
    expect(hosts.map((host) => host.address)).toEqual(['10.0.0.7'])
    expect(bad.map(({ line, reason }) => [line, reason])).toEqual([
      [1, 'address'],
      [2, 'range'],
      [3, 'counts'],
      [4, 'port'],
      [5, 'columns'],
      [7, 'duplicate'],
    ])
  })
})

describe('CSV', () => {
  it('takes what spreadsheets make: BOM, CRLF, quotes, any order', () => {
    const { hosts, bad } = parseHostList(
      '\ufeffRoles,Host Name,IP,User,Port,labels\r\n"control-plane,etcd",cp1,10.0.0.1,root,,\r\nworker,"w1",10.0.0.2,"o""ps",2222,zone=a|disk=ssd\r\n',
    )
    expect(bad).toEqual([])
    expect(hosts).toEqual([
      { name: 'cp1', address: '10.0.0.1', user: 'root', roles: ['control-plane', 'etcd'] },
      { name: 'w1', address: '10.0.0.2', user: 'o"ps', port: 2222, roles: ['worker'], labels: { zone: 'a', disk: 'ssd' } },
    ])
  })

  it('names the line of a bad row', () => {
    const { bad } = parseHostList('name;address;role\na;10.0.0.1;king\nb;10.0.0.300;worker')
    expect(bad.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'role'],
      [3, 'address'],
    ])
  })
})

it('expands nothing, one range, or two', () => {
  expect(expandRange('a')).toEqual(['a'])
  expect(expandRange('r[1-2]n[8-9]')).toEqual(['r1n8', 'r1n9', 'r2n8', 'r2n9'])
  expect(expandRange('a[1-')).toBeUndefined()
  expect(expandRange('a[1-99999]')).toBeUndefined()
})

it('reads a thousand hosts at once', () => {
  expect(parseHostList('w[1-1000] 10.0.[0-3].[1-250]').hosts).toHaveLength(1000)
})
