// What an error or a check is about, and what to do: in the reader's language by its id, then in the server's own words.
import { useSpeech } from '../i18n'
import { remediesZh } from '../i18n/remedies-zh'
import { titlesZh } from '../i18n/titles-zh'
import { plainText } from '../model/ansi'

interface Said {
  id?: string
  text: string
}

export function Remedy(said: Said) {
  return <Translated {...said} words={remediesZh} />
}

export function What(said: Said) {
  return <Translated {...said} words={titlesZh} />
}

function Translated({ id, text, words }: Said & { words: Record<string, string> }) {
  const { language } = useSpeech()
  if (language === 'en') return plainText(text)
  const translated = id ? words[id] : undefined
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
