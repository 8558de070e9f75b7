// What a host has beside its row, drawn from the schema.
import { useT } from '../../i18n'
import { hostsOf } from '../../model/spec'
import { Button } from '../../ui/basic'
import { Dialog } from '../../ui/dialog'
import { SpecField } from '../../ui/schema-form'
import type { DraftHandle } from './use-draft'

const kFields = ['internalAddress', 'bastion', 'arch', 'labels', 'taints', 'become']

export function HostMore({ handle, index, close }: { handle: DraftHandle; index: number; close: () => void }) {
  const t = useT()
  const host = hostsOf(handle.spec)[index]
  if (!host) return null
  return (
    <Dialog
      open
      onClose={close}
      wide
      title={t('host.more-title', { host: host.name })}
      actions={
        <Button kind="primary" onClick={close}>
          {t('done')}
        </Button>
      }
    >
      <div className="fields">
        {kFields.map((field) => (
          <SpecField key={field} handle={handle} path={['spec', 'hosts', index, field]} />
        ))}
      </div>
    </Dialog>
  )
}
