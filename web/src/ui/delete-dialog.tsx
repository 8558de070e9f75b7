// Asked before something is removed for good. Closed by its own success, or by the reader.
import { useState, type ReactNode } from 'react'
import { useT } from '../i18n'
import { ErrorBanner } from './basic'
import { Question } from './dialog'

interface DeleteProps {
  title: string
  children: ReactNode // what is lost, and what stays
  remove: () => Promise<unknown>
  close: () => void
}

export function DeleteDialog({ title, children, remove, close }: DeleteProps) {
  const t = useT()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await remove()
      close()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Question
      onClose={close}
      title={title}
      kind="danger"
      busy={busy}
      yes={t('delete')}
      onYes={() => void submit()}
    >
      {children}
      <ErrorBanner error={error} />
    </Question>
  )
}
