// Journeys over a real server. Whoever starts them owns it, and what else they need: tests/server/stage.py.
import { defineConfig } from '@playwright/test'
import common from './playwright.config'

export default defineConfig({ ...common, testDir: 'tests/real', workers: 4, timeout: 150_000, use: { ...common.use, viewport: { width: 1180, height: 680 } } })
