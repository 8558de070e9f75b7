import { useEffect, useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

function kept(): Theme {
  const theme = localStorage.getItem('slipway.theme')
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function showTheme(theme: Theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(kept)
  useEffect(() => {
    showTheme(theme)
    localStorage.setItem('slipway.theme', theme)
  }, [theme])
  return [theme, setTheme]
}

export const showKeptTheme = () => showTheme(kept())
