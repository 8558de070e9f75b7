// A cluster stands: how to get at it.
import { useState } from 'react'
import { send, segment } from '../../api/client'
import { useCluster, useSession } from '../../api/queries'
import { useSpeech, useT } from '../../i18n'
import { moment } from '../../model/format'
import { Badge, Button, ButtonLink, Command, ErrorBanner, Section } from '../../ui/basic'
import { saveAs } from './logs'

// The CA stands in the kubeconfig, in base64.
export function caOf(kubeconfig: string): Uint8Array | undefined {
  const data = /certificate-authority-data:\s*["']?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1]
  return data ? Uint8Array.from(atob(data), (c) => c.charCodeAt(0)) : undefined
}

export function Kubeconfig({ cluster }: { cluster: string }) {
  const t = useT()
  const [error, setError] = useState<unknown>()
  const admin = useSession().data?.role === 'admin'
  const fetchFile = async () => (await send(`/clusters/${segment(cluster)}/kubeconfig`, { headers: { Accept: 'application/yaml' } })).text()
  const attempt = async (work: () => Promise<void>) => {
    setError(undefined)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    }
  }
  const saveFile = async () => saveAs(new Blob([await fetchFile()], { type: 'application/yaml' }), `${cluster}.kubeconfig`)
  const saveCa = async () => {
    const ca = caOf(await fetchFile())
    if (!ca) throw new Error(t('done.no-ca'))
    saveAs(new Blob([ca as BlobPart], { type: 'application/x-pem-file' }), `${cluster}-ca.crt`)
  }
  return (
    <>
      <div className="row">
        <Button kind="primary" disabled={!admin} onClick={() => void attempt(saveFile)}>
          {t('done.kubeconfig')}
        </Button>
        <Button disabled={!admin} onClick={() => void attempt(saveCa)}>
          {t('done.ca')}
        </Button>
        {!admin && <span className="muted">{t('done.admin-only')}</span>}
      </div>
      <ErrorBanner error={error} />
    </>
  )
}

// How a computer is told to trust the cluster's CA, by its system.
const kTrust: [string, (file: string) => string][] = [
  ['Debian, Ubuntu', (file) => `sudo cp ${file} /usr/local/share/ca-certificates/ && sudo update-ca-certificates`],
  ['RHEL, Fedora', (file) => `sudo cp ${file} /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust`],
  ['macOS', (file) => `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${file}`],
  ['Windows', (file) => `certutil -addstore -f Root ${file}`],
]

function TrustCa({ cluster }: { cluster: string }) {
  const t = useT()
  return (
    <details className="group">
      <summary>{t('done.trust')}</summary>
      {kTrust.map(([system, command]) => (
        <div key={system}>
          <span className="muted">{system}</span>
          <Command>{command(`${cluster}-ca.crt`)}</Command>
        </div>
      ))}
    </details>
  )
}

export function DonePanel({ cluster }: { cluster: string }) {
  const { t, language } = useSpeech()
  const status = useCluster(cluster)
  const kubernetes = status.data?.kubernetes
  if (!kubernetes) return null
  const first = kubernetes.certificates?.filter((certificate) => certificate.ends).sort((a, b) => a.ends!.localeCompare(b.ends!))[0]
  const domain = new URL(kubernetes.server).hostname
  return (
    <Section title={t('done.title')} actions={<ButtonLink href={`/clusters/${segment(cluster)}`}>{t('done.cluster')}</ButtonLink>}>
      <div className="columns">
        <div>
          <dl className="facts">
            <dt>{t('done.endpoint')}</dt>
            <dd className="mono">{kubernetes.server}</dd>
            <dt>Kubernetes</dt>
            <dd>
              {kubernetes.version} <Badge tone={kubernetes.ready ? 'good' : 'warn'}>{t(kubernetes.ready ? 'cluster.ready' : 'cluster.not-ready')}</Badge>
            </dd>
            {!/^[\d.:[\]]+$/.test(domain) && (
              <>
                <dt>{t('done.hosts-line')}</dt>
                <dd className="mono">{`${kubernetes.nodes?.find((node) => node.roles.includes('control-plane'))?.address ?? ''} ${domain}`}</dd>
              </>
            )}
            {first && (
              <>
                <dt>{t('done.expiry')}</dt>
                <dd>
                  {moment(first.ends!, language)} <span className="muted">{`${first.what} ${first.node}`}</span>
                </dd>
              </>
            )}
          </dl>
          <Kubeconfig cluster={cluster} />
          <TrustCa cluster={cluster} />
        </div>
        <div>
          <h3>{t('done.next')}</h3>
          <Command>{`slipway kubeconfig ${cluster} > ${cluster}.kubeconfig`}</Command>
          <Command>{`kubectl --kubeconfig ${cluster}.kubeconfig get nodes -o wide`}</Command>
          <Command>{`slipway status ${cluster}`}</Command>
        </div>
      </div>
    </Section>
  )
}
