// Every screen, light and dark, in both languages: no violation of WCAG 2.2 AA that can be found by a program.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { screens } from './screens'
import { expect, real, signIn, test } from './world'

test.skip(Boolean(real), 'screens are prepared in the mock')

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

// Structure is the same in light and dark: there only the contrast is asked for again.
async function violations(page: Page, rules: 'all' | 'contrast') {
  const axe = new AxeBuilder({ page })
  const { violations: found } = await (rules === 'all' ? axe.withTags(tags) : axe.withRules(['color-contrast'])).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.any[0]?.message ?? ''}`).slice(0, 3).join(' | ')}`)
}

for (const screen of screens) {
  test.describe(screen.name, () => {
    test.use({ options: screen.options ?? {} })
    test('has no violation in light, dark, English, Chinese', async ({ page, world }) => {
      if (!screen.signedOut) await signIn(page, world)
      await screen.prepare?.(world)
      for (const language of ['en', 'zh']) {
        await page.addInitScript((chosen) => localStorage.setItem('slipway.language', chosen), language)
        await page.goto(world.url + screen.path)
        await page.locator('h1').first().waitFor()
        await screen.act?.(page)
        expect(await page.evaluate(() => document.documentElement.lang)).toBe(language === 'en' ? 'en' : 'zh-CN')
        for (const theme of ['light', 'dark'] as const) {
          await page.evaluate((chosen) => (document.documentElement.dataset.theme = chosen), theme)
          expect(await violations(page, theme === 'light' ? 'all' : 'contrast'), `${language}, ${theme}`).toEqual([])
        }
      }
    })
  })
}
