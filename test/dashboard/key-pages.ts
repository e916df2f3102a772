import { vi } from 'vitest'
import { RELEASE_1_0 } from '../../src/engine/releases/1.0.ts'
import { admin } from '../fixtures/opened.ts'

export const LIST = '/dashboard/api-keys/'

export const SETTINGS = '/api/settings/v1'

export const keyIn = (text: string) => /xd_demo_[0-9A-Za-z]{49}/.exec(text)?.[0] ?? ''

export const named = async (name: string) =>
  (await admin.get(`${SETTINGS}/api-keys/?limit=200`)).body.data.filter(
    (key: { name: string }) => key.name === name,
  )

export const inputOf = (text: string, name: string) =>
  new RegExp(`<input [^>]*name="${name}"[^>]*>`).exec(text)?.[0]

export const releasesIn = (text: string) =>
  [...(/<select id="release".*?<\/select>/.exec(text)?.[0] ?? '').matchAll(/<option.*?<\/option>/g)]
    .map(([option]) => option)
    .join('')

export function endRelease() {
  const ended = { deprecated_at: '2024-01-01T00:00:00.000Z', sunset_at: '2025-01-01T00:00:00.000Z' }
  vi.spyOn(RELEASE_1_0, 'lifecycle', 'get').mockReturnValue(ended)
}
