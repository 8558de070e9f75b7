// What to do about an error or a check: in the reader's language by its id, then in the server's own words.
import { useSpeech } from '../i18n'
import { remediesZh } from '../i18n/remedies-zh'
import { plainText } from '../model/ansi'

export function Remedy({ id, text }: { id?: string; text: string }) {
  const { language } = useSpeech()
  if (language === 'en') return plainText(text)
  const translated = id ? remediesZh[id] : undefined
  if (!translated) return <span lang="en">{plainText(text)}</span>
  return (
    <>
      {translated}
      {text && (
        <span className="muted" lang="en">
          {' '}
          {plainText(text)}
        </span>
      )}
    </>
  )
}
