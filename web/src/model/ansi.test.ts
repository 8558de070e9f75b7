import { expect, it } from 'vitest'
import { plainText } from './ansi'

it('takes escapes out and leaves the words', () => {
  expect(plainText('\u001b[1;31mError:\u001b[0m disk \u001b]0;title\u0007full\r')).toBe('Error: disk full')
})

it('shows controls instead of obeying them', () => {
  expect(plainText('a\u0000b\u202ec')).toBe('a\u2400b\ufffdc')
  expect(plainText('10%\r20%')).toBe('10%\u240d20%')
})

it('leaves markup alone: it is only text', () => {
  expect(plainText('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
})
