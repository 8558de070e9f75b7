import { expect, it } from 'vitest'
import { namesBy } from './rename'

it('counts from where the pattern says, as wide as it says', () => {
  expect(namesBy('node-{01}', 3, [])).toEqual(['node-01', 'node-02', 'node-03'])
  expect(namesBy('{8}.rack'.replace('.', '-'), 3, [])).toEqual(['8-rack', '9-rack', '10-rack'])
  expect(namesBy('w{099}', 2, ['x'])).toEqual(['w099', 'w100'])
})

it('says why a pattern cannot be used', () => {
  expect(namesBy('node', 2, [])).toBe('no-number')
  expect(namesBy('n{1}-{2}', 2, [])).toBe('no-number')
  expect(namesBy('Node-{1}', 2, [])).toBe('name')
  expect(namesBy('-{1}', 1, [])).toBe('name')
  expect(namesBy('w{1}', 3, ['w2'])).toBe('taken')
})
