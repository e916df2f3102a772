import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SHIPPED, writeShipped } from '../../scripts/assets/shipped.ts'
import { bodyFault, mapDocument, mapRecords } from '../../src/engine/mapping/inbound.ts'
import { BODIES, bodyErrors } from '../../src/records/bodies.ts'
import { STARTER_NAMES, type Starter } from '../../src/settings/mapping-starters/starters.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import type { WebhookPreset } from '../../src/settings/webhook-presets/preset-schema.ts'
import { WEBHOOK_PRESET_NAMES } from '../../src/settings/webhook-presets/presets.ts'
import { pace } from '../fixtures/pace.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Edit, edited } from './edit.ts'
import { readStarters, sentBy } from './starter.ts'
import { STATES } from './states.ts'
import { orderTable, otherTable } from './table.ts'

interface Sample {
  title?: string
  document: Json
  /** The record; or all of them, of a list. */
  expected: Json
  /** Says only what the edit changes. */
  isPart?: boolean
}

/** Another document of the system, by what differs from the starter's own. */
interface Edited {
  title: string
  edit: Edit
  without?: string[]
  /** Says the whole record, and not only what the edit changes. */
  isWhole?: boolean
  expected: Json
}

const folder = 'test/starters'
const documents = 'src/settings/mapping-starters/documents'
const starters = await readStarters()

/** The starter's own document, and others that the system sends. */
function samplesOf(name: string, document: unknown): Sample[] {
  const { expected, variants } = JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))
  const others = variants.map((one: Sample | Edited) => {
    if (!('edit' in one)) return one
    return { ...one, document: edited(document, one.edit, one.without), isPart: !one.isWhole }
  })
  return [{ document, expected }, ...others]
}

describe('a mapping starter', () => {
  it('has a file, and each file is one', () => {
    const files = readdirSync(documents).map((file) => file.replace(/\.(json|xml|csv)$/, ''))
    expect([...new Set(files)].toSorted()).toEqual(STARTER_NAMES)
    expect(starters.map(({ name }) => name)).toEqual(STARTER_NAMES)
  })

  it.each(starters)('$name says what it is, and what to change', (starter) => {
    expect(starter.title).toMatch(/^.+: .+/)
    expect(starter.notes.length).toBeGreaterThan(0)
  })

  it.each(starters)('$name can be saved as it is', async ({ resource, mapping }) => {
    const result = SaveMapping(resource).safeParse(mapping)
    expect(result.error?.issues ?? []).toEqual([])
    expect(result.data).toEqual(mapping)
  })

  it.each(
    starters.flatMap((starter) =>
      samplesOf(starter.name, starter.document).map((sample) => ({ ...starter, ...sample })),
    ),
  )('$name maps its document whole: $title', async (sample) => {
    const { resource, mapping, document, expected, isPart } = sample
    const inbound = mapping.inbound ?? expect.fail('no inbound rules')
    const sent = sentBy(sample, document, 'POST')
    expect(bodyFault(resource, inbound, sent.payload)).toBe(null)
    const found = inbound.records
      ? mapRecords(resource, inbound, sent).records
      : [mapDocument(resource, inbound, sent)]
    expect(found.map(({ problems }) => problems)).toEqual(found.map(() => []))
    const values = found.map(({ value }) => value)
    const wanted = [expected].flat()
    if (isPart) expect(values).toMatchObject(wanted)
    else expect(values).toEqual(wanted)
    for (const value of values) {
      expect(await bodyErrors(resource, 'POST', value, pace)).toEqual({ errors: {}, failed: 0 })
      expect(BODIES[resource].POST?.safeParse(value).error).toBe(undefined)
    }
  })

  // Where the document is no JSON, all quantities are text.
  const inJson = ({ resource, content_type }: Starter) => resource === 'orders' && !content_type

  it.each(starters.filter(inJson))(
    '$name leaves out no line because its quantity is text',
    (starter) => {
      const { resource, mapping, document } = starter
      const inbound = mapping.inbound ?? expect.fail('no inbound rules')
      const linesOf = (text: string) => {
        const { value } = mapDocument(resource, inbound, sentBy(starter, JSON.parse(text), 'POST'))
        return (value as { items: object[] }).items.length
      }
      const text = JSON.stringify(document)
      const texts = text.replace(/("\w*quantity\w*":)([1-9]\d*)(?=[,}])/gi, '$1"$2"')
      expect(linesOf(texts)).toBe(linesOf(text))
    },
  )
})

it.each(SHIPPED)('$folder are written into a folder that is not there yet', async (kind) => {
  const folder = await mkdtemp(join(tmpdir(), 'shipped-'))
  try {
    await writeShipped(join(folder, 'dist/assets'))
    const text = await readFile(join(folder, `dist/assets/${kind.folder}.json`), 'utf8')
    expect(JSON.parse(text).map(({ name }: { name: string }) => name)).toEqual(kind.names)
  } finally {
    await rm(folder, { recursive: true })
  }
})

const read = (folder: string, name: string): Json =>
  JSON.parse(readFileSync(`src/settings/${folder}/documents/${name}.json`, 'utf8'))
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
