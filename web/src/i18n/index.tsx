// Two catalogs with the same keys; TypeScript refuses a key that is not there, a test one that is
// not used.
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { en } from './en'
import { zh } from './zh'

export type Key = keyof typeof en
export type Values = Record<string, string | number>
export type Translate = (key: Key, values?: Values) => string
export type Language = 'en' | 'zh'

const catalogs: Record<Language, Record<Key, string>> = { en, zh }

// '{n} {n|host|hosts}': 1 host, 2 hosts.
export function translate(language: Language, key: Key, values: Values = {}): string {
  return catalogs[language][key]
    .replace(/\{(\w+)\|([^|}]*)\|([^|}]*)\}/g, (_, name: string, one: string, many: string) => (values[name] === 1 ? one : many))
    .replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

interface Speech {
  language: Language
  setLanguage: (language: Language) => void
  t: Translate
}

const SpeechContext = createContext<Speech>({
  language: 'en',
  setLanguage: () => {},
  t: (key, values) => translate('en', key, values),
})

function firstLanguage(): Language {
  const kept = localStorage.getItem('slipway.language')
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.startsWith('zh') ? 'zh' : 'en'
}

export function SpeechProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
    localStorage.setItem('slipway.language', language)
  }, [language])
  const speech = useMemo<Speech>(
    () => ({ language, setLanguage, t: (key, values) => translate(language, key, values) }),
    [language],
  )
  return <SpeechContext value={speech}>{children}</SpeechContext>
}

export function useSpeech(): Speech {
  return useContext(SpeechContext)
}
export function useT(): Translate {
  return useContext(SpeechContext).t
}
