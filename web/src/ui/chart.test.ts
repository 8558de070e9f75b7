import { expect, it } from 'vitest'
import { place, timeOf, timeScale } from './chart'

it.each([
  [0.4, ['0 s', '100 ms', '200 ms', '300 ms', '400 ms']],
  [30, ['0 s', '5 s', '10 s', '15 s', '20 s', '25 s', '30 s']],
  [1500, ['0 s', '5 min', '10 min', '15 min', '20 min', '25 min']],
  [20_000, ['0 s', '1 h', '2 h', '3 h', '4 h', '5 h']],
])('has round moments in %d seconds', (seconds, labels) => {
  expect(timeScale(seconds, [0, 1]).ticks(5).map(timeOf)).toEqual(labels)
})

it('places seconds, also from the bottom up', () => {
  expect(place(timeScale(200, [0, 1000]), 50)).toBe(250)
  expect(place(timeScale(200, [100, 0]), 50)).toBe(75)
})
