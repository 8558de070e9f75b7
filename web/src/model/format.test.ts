import { expect, it } from 'vitest'
import { bytes, duration, roughly, roundDuration } from './format'

it('writes durations without false precision', () => {
  expect([0.035, 2.54, 42.4, 59.7, 61, 3599.6, 3661, 7322].map(duration)).toEqual(['35 ms', '2.5 s', '42 s', '60 s', '1 min 1 s', '1 h 0 min', '1 h 1 min', '2 h 2 min'])
  expect(duration(NaN)).toBe('')
})

it('writes sizes', () => {
  expect([0, 1023, 1536, 239_104, 5 * 1024 ** 3].map(bytes)).toEqual(['0 B', '1023 B', '1.5 KiB', '234 KiB', '5.0 GiB'])
})

it('speaks roughly of what is only estimated', () => {
  expect([0.2, 7.4, 33, 113, 452, 3600, 4000].map(roughly)).toEqual(['1 s', '7 s', '35 s', '2 min', '8 min', '1 h 0 min', '1 h 7 min'])
})

it('writes round moments without the zeros', () => {
  expect([0, 0.1, 2, 2.5, 20, 60, 600, 90, 3600, 5400].map(roundDuration)).toEqual(['0 s', '100 ms', '2 s', '2.5 s', '20 s', '1 min', '10 min', '1 min 30 s', '1 h', '1 h 30 min'])
})
