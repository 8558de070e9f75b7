// Every key that waits for a person, in one list, accepted in one step. Changed keys are shown, never accepted here.
import { useState } from 'react'
import type { HostKey } from '../../api/types'
import { useT } from '../../i18n'
import type { Host } from '../../model/spec'
import { Badge, Banner, Command } from '../../ui/basic'
import { Question } from '../../ui/dialog'
import { VirtualList } from '../../ui/virtual'

interface TrustProps {
  keys: HostKey[]
  hosts: Host[]
  trust: (keys: { host: string; fingerprint: string }[]) => Promise<void>
  close: () => void
}

export function TrustDialog({ keys, hosts, trust, close }: TrustProps) {
  const t = useT()
  const [left, setLeft] = useState<Set<string>>(new Set())
  const address = new Map(hosts.map((host) => [host.name, host.address]))
  const accepted = keys.filter((key) => key.state === 'new' && key.fingerprint && !left.has(key.host))
  const changed = keys.filter((key) => key.state !== 'new')
  const submit = () => {
    void trust(accepted.map(({ host, fingerprint }) => ({ host, fingerprint: fingerprint! })))
    close()
  }
  return (
    <Question
      onClose={close}
      wide
      title={t('trust.title')}
      disabled={accepted.length === 0}
      yes={t('trust.submit', { n: accepted.length })}
      onYes={submit}
    >
      <p>{t('trust.text')}</p>
      <Command>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</Command>
      {changed.length > 0 && (
        <Banner tone="bad" title={t('trust.changed', { n: changed.length })}>
          {t('trust.changed-text')}
        </Banner>
      )}
      <VirtualList
        className="virtual trust"
        label={t('trust.title')}
        count={keys.length}
        size={30}
        keyOf={(i) => keys[i]!.host}
        row={(i) => {
          const key = keys[i]!
          const isNew = key.state === 'new'
          return (
            <div className="trust-row" role="presentation">
              <span role="cell">
                <input type="checkbox" aria-label={t('trust.accept', { host: key.host })} disabled={!isNew} checked={isNew && !left.has(key.host)} onChange={(event) => setLeft((before) => (event.target.checked ? new Set([...before].filter((each) => each !== key.host)) : new Set([...before, key.host])))} />
              </span>
              <span role="cell">{key.host}</span>
              <span role="cell" className="mono muted">
                {address.get(key.host)}
              </span>
              <span role="cell" className="mono">
                {key.fingerprint}
              </span>
              <span role="cell">{!isNew && <Badge tone="bad">{t('trust.is-changed')}</Badge>}</span>
            </div>
          )
        }}
      />
    </Question>
  )
}
