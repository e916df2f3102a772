import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { WebhookPreset } from '../../src/settings/webhook-presets/preset-schema.ts'
import { WEBHOOK_PRESET_NAMES } from '../../src/settings/webhook-presets/presets.ts'
import type { Json } from '../fixtures/tenant.ts'
import type { Edit } from './edit.ts'
import { readStarters } from './starter.ts'
import { STATES } from './states.ts'
import { orderTable, otherTable } from './table.ts'

const read = (folder: string, name: string): Json =>
  JSON.parse(readFileSync(`src/settings/${folder}/documents/${name}.json`, 'utf8'))
const starters = await readStarters()
const presets = WEBHOOK_PRESET_NAMES.map((name): WebhookPreset => read('webhook-presets', name))

describe('docs/starters.md', () => {
  const page = readFileSync('docs/starters.md', 'utf8')

  it('has the tables of the starters as they are', () => {
    expect(page).toContain(orderTable(starters, presets).join('\n'))
    expect(page).toContain(otherTable(starters, presets).join('\n'))
  })
})

/** Names of states that only the test has invented, and places that are not a state. */
const NO_WORDS = /^($|packed|27|CUSTOM_|OTHER$|Cancelled\?|unpaid$|ACCPAY|In_x0020_|A$|D$)/

/** The words for states among the values of these edits. */
function wordsOf(edits: Edit[] = []): string[] {
  const values = edits.filter((edit) => Object.keys(edit).length === 1).flatMap(Object.values)
  const words = values.filter((value) => typeof value === 'string' && !NO_WORDS.test(value))
  // In a document that is a text, a word stands between marks.
  return words.map((word) => word.replace(/^\W+|\W+$/g, ''))
}

const has = (text: string, word: string) =>
  new RegExp(`(^|[^\\w-])${word}($|[^\\w-])`, 'i').test(text)

const orders = starters.filter(({ resource }) => resource === 'orders')

describe('the row of a starter for orders', () => {
  it.each(orders)('$name has all columns', ({ summary }) => {
    const texts = Object.values(summary ?? {})
    expect(texts).toHaveLength(5)
    for (const text of texts) expect(text).toMatch(/^[^|\s][^|]*[^|.\s]$/)
  })

  it.each(orders)('$name names each state where it belongs', ({ name, summary }) => {
    const { taken, shipped, cancelled, refused } = STATES[name] ?? expect.fail('no states')
    const columns = [
      [summary?.takes, taken],
      [summary?.ships, shipped],
      [summary?.cancels, cancelled],
      [summary?.refuses, refused],
    ] as const
    for (const [text = '', edits] of columns) {
      expect(wordsOf(edits).filter((word) => !has(text, word))).toEqual([])
    }
  })
})
