// Bundles on the server: upload in parts, what is in them, who signed them.
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ApiError, get, post, remove, segment } from '../api/client'
import { awaitJob } from '../api/jobs'
import { client, useBundle, useBundles } from '../api/queries'
import type { BundleInfo, BundleRoot, BundleSummary, Job } from '../api/types'
import { upload } from '../api/upload'
import { useSpeech, useT } from '../i18n'
import { bytes, moment } from '../model/format'
import { Badge, Button, CopyButton, Empty, ErrorBanner, Loading, ProgressBar, Section } from '../ui/basic'
import { DeleteDialog } from '../ui/delete-dialog'
import { Table } from '../ui/table'
import { VirtualList } from '../ui/virtual'

export function BundlesScreen() {
  const t = useT()
  return (
    <div className="page">
      <h1>{t('nav.bundles')}</h1>
      <BundleList />
    </div>
  )
}

const refresh = () => client.invalidateQueries({ queryKey: ['bundles'] })

interface Upload {
  name: string
  size: number
  received: number
  error?: unknown
  file: File
}

function useUpload() {
  const [current, setCurrent] = useState<Upload>()
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const begin = async (file: File) => {
    stop.current = new AbortController()
    const base = { name: file.name, size: file.size, file }
    setCurrent({ ...base, received: 0 })
    try {
      await upload(file, { signal: stop.current.signal, onProgress: (received) => setCurrent({ ...base, received }) })
      setCurrent(undefined)
    } catch (error) {
      if (stop.current.signal.aborted) setCurrent(undefined)
      else setCurrent((before) => before && { ...before, error })
    }
    await refresh()
  }
  return { current, begin, cancel: () => stop.current.abort(), dismiss: () => setCurrent(undefined) }
}

export function BundleList({ chosen, choose }: { chosen?: string[]; choose?: (path: string) => void }) {
  const t = useT()
  const bundles = useBundles()
  const uploading = useUpload()
  const [doomed, setDoomed] = useState('')
  const drop = async () => {
    await remove(`/bundles/${segment(doomed)}`)
    await refresh()
  }
  const pick = (
    <label className="button primary">
      {t('bundle.upload')}
      <input
        className="sr"
        type="file"
        accept=".bundle"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = '' // the same file may be chosen again
          if (file) void uploading.begin(file)
        }}
      />
    </label>
  )
  return (
    <Section title={t('bundle.on-server')} note={t('bundle.resume-note')} actions={pick}>
      <ErrorBanner error={bundles.error} />
      {uploading.current && <UploadRow upload={uploading.current} again={() => void uploading.begin(uploading.current!.file)} cancel={uploading.cancel} dismiss={uploading.dismiss} />}
      {bundles.data?.length === 0 && !uploading.current && <Empty>{t('bundle.none')}</Empty>}
      {bundles.data && bundles.data.length > 0 && (
        <Table label={t('bundle.on-server')} columns={['column.name', 'column.size', 'column.state', 'column.updated']} actions>
          {bundles.data.map((bundle) => (
            <BundleRow key={bundle.name} bundle={bundle} chosen={chosen} choose={choose} drop={() => setDoomed(bundle.name)} />
          ))}
        </Table>
      )}
      {doomed && (
        <DeleteDialog title={t('bundle.delete', { name: doomed })} remove={drop} close={() => setDoomed('')}>
          {t('bundle.delete-text')}
        </DeleteDialog>
      )}
    </Section>
  )
}

function UploadRow({ upload: { name, size, received, error }, again, cancel, dismiss }: { upload: Upload; again: () => void; cancel: () => void; dismiss: () => void }) {
  const t = useT()
  return (
    <div className="upload">
      <div className="row">
        <b className="mono">{name}</b>
        <ProgressBar percent={(100 * received) / size} label={t('bundle.uploading', { name })} tone={error ? 'bad' : 'busy'} />
        <span className="number">{`${bytes(received)} / ${bytes(size)}`}</span>
        {error ? <Button onClick={again}>{t('bundle.go-on')}</Button> : <Button onClick={cancel}>{t('bundle.stop')}</Button>}
        {error !== undefined && (
          <Button kind="quiet" onClick={dismiss}>
            {t('close')}
          </Button>
        )}
      </div>
      <ErrorBanner error={error} />
    </div>
  )
}

function BundleRow({ bundle, chosen, choose, drop }: { bundle: BundleSummary; chosen?: string[]; choose?: (path: string) => void; drop: () => void }) {
  const { t, language } = useSpeech()
  const whole = bundle.state === 'whole'
  const isChosen = chosen?.some((path) => path === bundle.name || path.endsWith(`/${bundle.name}`))
  const take = async () => {
    const info = await get<BundleInfo>(`/bundles/${segment(bundle.name)}`)
    choose?.(info.path ?? bundle.name)
  }
  return (
    <tr>
      <td>
        <Link href={`/bundles/${segment(bundle.name)}`}>{bundle.name}</Link>
      </td>
      <td className="number">{bytes(bundle.size)}</td>
      <td>
        {whole ? <Badge tone="good">{t('bundle.whole')}</Badge> : <Badge tone="warn">{t('bundle.partly', { percent: Math.floor((100 * (bundle.received ?? 0)) / bundle.size) })}</Badge>}
      </td>
      <td className="muted">{moment(bundle.modified, language)}</td>
      <td className="end">
        {choose && whole && (
          <Button disabled={isChosen} onClick={() => void take()}>
            {t(isChosen ? 'bundle.taken' : 'bundle.take')}
          </Button>
        )}
        <Button kind="quiet" aria-label={t('bundle.delete', { name: bundle.name })} onClick={drop}>
          {t('delete')}
        </Button>
      </td>
    </tr>
  )
}

interface VerifyResult {
  intact?: boolean
  signedBy?: string
  override?: string
  damage?: { what: string; why: string }[]
}

export function BundleScreen({ name }: { name: string }) {
  const t = useT()
  const bundle = useBundle(name)
  const [verified, setVerified] = useState<VerifyResult>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const verify = async (allowUnsigned = false) => {
    setBusy(true)
    setError(undefined)
    try {
      const job = await post<Job>(`/bundles/${segment(name)}/verify`, allowUnsigned ? { allowUnsigned } : {})
      const ended = await awaitJob<VerifyResult>(job.id, () => {})
      if (ended.problem) throw new ApiError(ended.problem)
      setVerified(ended.result)
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  if (bundle.isPending) return <Loading />
  if (bundle.error) return <ErrorBanner error={bundle.error} />
  const info = bundle.data
  const untrusted = error instanceof ApiError && /^BUNDLE-(SIGNER-UNKNOWN|UNSIGNED)/.test(error.problem.id ?? '')
  const holds = (info.holds ?? {}) as Record<string, number>
  return (
    <div className="page">
      <h1>
        <Link href="/bundles">{t('nav.bundles')}</Link> <span className="muted">/</span> <span className="mono">{name}</span>
      </h1>
      <Section
        title={typeof info.title === 'string' ? info.title : name}
        actions={
          <Button busy={busy} onClick={() => void verify()} disabled={!info.names}>
            {t('bundle.verify')}
          </Button>
        }
      >
        <ErrorBanner error={error} actions={untrusted && <Button onClick={() => void verify(true)}>{t('bundle.verify-anyway')}</Button>} />
        <dl className="facts">
          <dt>{t('column.size')}</dt>
          <dd>{bytes(Number(info.fileSize ?? info.size ?? 0))}</dd>
          <dt>{t('bundle.digest')}</dt>
          <dd className="mono wrap">{String(info.contentDigest ?? '')}</dd>
          <dt>{t('bundle.signers')}</dt>
          <dd>
            {info.signatures?.length ? (
              info.signatures.map(({ keyId }) => (
                <div key={keyId} className="row">
                  <code className="wrap">{keyId}</code> <CopyButton text={keyId} />
                </div>
              ))
            ) : (
              <Badge tone="warn">{t('bundle.unsigned')}</Badge>
            )}
          </dd>
          <dt>{t('bundle.holds')}</dt>
          <dd>
            {Object.entries(holds)
              .map(([kind, number]) => `${number} ${kind}`)
              .join(', ')}
          </dd>
          <dt>SBOM</dt>
          <dd>{holds.sbom ? <Badge tone="good">{t('bundle.sbom', { n: holds.sbom })}</Badge> : <Badge tone="warn">{t('bundle.no-sbom')}</Badge>}</dd>
          {verified && (
            <>
              <dt>{t('bundle.verified')}</dt>
              <dd>
                <Badge tone={verified.intact ? 'good' : 'bad'}>{t(verified.intact ? 'bundle.intact' : 'bundle.damaged')}</Badge> {verified.signedBy && <Badge tone="good">{t('bundle.trusted', { key: verified.signedBy.slice(0, 16) })}</Badge>}
                {verified.override && <Badge tone="warn">{verified.override}</Badge>}
                {verified.damage?.map((damage, i) => (
                  <div key={i} className="bad-text">{`${damage.what}: ${damage.why}`}</div>
                ))}
              </dd>
            </>
          )}
        </dl>
      </Section>
      {info.names && <Contents names={info.names} />}
    </div>
  )
}

function Contents({ names }: { names: BundleRoot[] }) {
  const t = useT()
  const [kind, setKind] = useState('')
  const [text, setText] = useState('')
  const shown = names.filter((root) => (!kind || root.kind === kind) && root.name.includes(text))
  return (
    <Section
      title={t('bundle.contents')}
      actions={
        <>
          <select className="small" aria-label={t('bundle.kind')} value={kind} onChange={(event) => setKind(event.target.value)}>
            <option value="">{t('bundle.all-kinds')}</option>
            {[...new Set(names.map((root) => root.kind))].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          <input className="small" type="search" placeholder={t('search')} aria-label={t('search')} value={text} onChange={(event) => setText(event.target.value)} />
        </>
      }
    >
      <VirtualList
        className="virtual contents"
        label={t('bundle.contents')}
        count={shown.length}
        size={26}
        keyOf={(i) => shown[i]!.name}
        row={(i) => (
          <div className="contents-row" role="presentation">
            <span role="cell">{shown[i]!.kind}</span>
            <span role="cell" className="mono">
              {shown[i]!.name}
            </span>
            <span role="cell" className="mono muted" title={shown[i]!.digest}>
              {shown[i]!.digest.slice(0, 19)}…
            </span>
          </div>
        )}
      />
    </Section>
  )
}
