import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// The page is served from inside the slipway binary under `default-src 'self'`: no inline script or
// style, nothing as a data: address.
export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: { '/api': { target: 'http://127.0.0.1:5180' } },
  },
  test: {
    environment: 'node', // a component's test says jsdom in its first line
    pool: 'threads',
    testTimeout: 30_000,
    include: ['src/**/*.test.{ts,tsx}', 'mock/**/*.test.ts'],
    restoreMocks: true,
  },
})
