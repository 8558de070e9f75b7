import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { client } from './api/queries'
import { App } from './app'
import { SpeechProvider } from './i18n'
import './styles/index.css'
import { showKeptTheme } from './ui/theme'

showKeptTheme()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <SpeechProvider>
        <App />
      </SpeechProvider>
    </QueryClientProvider>
  </StrictMode>,
)
