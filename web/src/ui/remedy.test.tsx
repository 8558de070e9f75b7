// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SpeechProvider } from '../i18n'
import { Remedy, What } from './remedy'

beforeEach(() => localStorage.clear())
afterEach(cleanup)

function shown(language: string, id: string) {
  localStorage.setItem('slipway.language', language)
  const { container } = render(
    <SpeechProvider>
      <Remedy id={id} text="slipway resume" />
    </SpeechProvider>,
  )
  return container
}

it("is the server's in English", () => {
  expect(shown('en', 'HOST-DISK-FULL').textContent).toBe('slipway resume')
})

it('is in Chinese first, then as the server says it', () => {
  const found = shown('zh', 'HOST-DISK-FULL')
  expect(found.textContent).toMatch(/^在主机上腾出空间/)
  expect(found.querySelector('[lang=en]')?.textContent?.trim()).toBe('slipway resume')
})

it('is marked as English where there is no other', () => {
  expect(shown('zh', 'NOBODY-KNOWS').querySelector('[lang=en]')?.textContent).toBe('slipway resume')
})

it('says what is wrong in the same way', () => {
  localStorage.setItem('slipway.language', 'zh')
  const { container } = render(
    <SpeechProvider>
      <What id="HOST-DISK-FULL" text="no space left on /var of w1" />
    </SpeechProvider>,
  )
  expect(container.textContent).toBe('主机的文件系统已满 no space left on /var of w1')
  expect(container.querySelector('[lang=en]')?.textContent?.trim()).toBe('no space left on /var of w1')
})
