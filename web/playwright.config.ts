import { defineConfig } from '@playwright/test'

// A browser of the system: nothing is downloaded. Its sandbox does not work for root in a container.
export default defineConfig({
  testDir: 'tests/browser',
  timeout: 60_000,
  expect: { timeout: 15_000 },
  fullyParallel: true,
  workers: process.env.SLIPWAY_PAGE_URL ? 1 : 2,
  reporter: [['list']],
  use: {
    viewport: { width: 1280, height: 720 },
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    },
  },
})
