// Pictures of every screen, to be looked at: SHOTS=1 npm run test:browser -- shots. `make docs` keeps them in docs/page.
import { screens } from './screens'
import { real, signIn, test } from './world'

test.skip(!process.env.SHOTS || Boolean(real), 'only when asked for')

const [width, height] = (process.env.SHOTS_SIZE ?? '1280x720').split('x').map(Number)

for (const screen of screens) {
  test.describe(screen.name, () => {
    test.use({ options: screen.options ?? {}, colorScheme: process.env.SHOTS === 'dark' ? 'dark' : 'light', viewport: { width: width!, height: height! } })
    test('picture', async ({ page, world }) => {
      if (!screen.signedOut) await signIn(page, world)
      await screen.prepare?.(world)
      await page.addInitScript((language) => localStorage.setItem('slipway.language', language), process.env.SHOTS_LANGUAGE ?? 'en')
      await page.goto(world.url + screen.path)
      await page.locator('h1').first().waitFor()
      await screen.act?.(page)
      await page.waitForTimeout(700)
      await page.screenshot({ path: `${process.env.SHOTS_FOLDER ?? 'shots'}/${screen.name}.png` })
    })
  })
}
