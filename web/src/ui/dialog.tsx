import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode } from 'react'
import { useT } from '../i18n'
import { Button } from './basic'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  actions: ReactNode
  wide?: boolean
}

export function Dialog({ open, onClose, title, children, actions, wide }: DialogProps) {
  const t = useT()
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" />
        <Base.Popup className={wide ? 'dialog wide' : 'dialog'}>
          <div className="dialog-head">
            <Base.Title render={<h2 />}>{title}</Base.Title>
            <Base.Close className="button quiet" aria-label={t('close')}>
              ✕
            </Base.Close>
          </div>
          <div className="dialog-body">{children}</div>
          <div className="dialog-actions">{actions}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface QuestionProps {
  open?: boolean
  onClose: () => void
  title: string
  children: ReactNode
  wide?: boolean
  kind?: 'primary' | 'danger'
  disabled?: boolean
  busy?: boolean
  yes: string
  onYes: () => void
}

// One thing is done, or nothing.
export function Question({ open = true, onClose, title, children, wide, kind = 'primary', disabled, busy, yes, onYes }: QuestionProps) {
  const t = useT()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      wide={wide}
      actions={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button kind={kind} disabled={disabled} busy={busy} onClick={onYes}>
            {yes}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
