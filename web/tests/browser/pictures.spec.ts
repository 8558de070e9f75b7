// Pictures of the screens are made by the journeys over real servers (make pictures), and looked at by people.
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { screens } from './screens'
import { expect, test } from './world'

test('every screen has its picture, and every picture its screen', () => {
  const pictures = readdirSync(resolve('../docs/page')).map((file) => file.replace(/\.png$/, ''))
  expect(pictures.sort()).toEqual(screens.map(({ name }) => name).sort())
})
