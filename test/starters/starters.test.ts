import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bodyFault, mapDocument, mapRecords } from '../../src/engine/mapping/inbound.ts'
import { BODIES, bodyErrors } from '../../src/records/bodies.ts'
import { STARTER_NAMES, type Starter } from '../../src/settings/mapping-starters/starters.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { pace } from '../fixtures/pace.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Edit, edited } from './edit.ts'
import { readStarters, sentBy } from './starter.ts'

interface Sample {
  title?: string
  document: Json
  /** The record; or all of them, of a list. */
  expected: Json
  /** Says only what the edit changes. */
  isPart?: boolean
}

type Variant = Sample | { title: string; edit: Edit; expected: Json }

const folder = 'test/starters'
const documents = 'src/settings/mapping-starters/documents'
const starters = await readStarters()

/** The starter's own document, and others that the system sends. */
function samplesOf(name: string, document: unknown): Sample[] {
  const { expected, variants } = JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))
  const others = variants.map((one: Variant) =>
    'edit' in one ? { ...one, document: edited(document, one.edit), isPart: true } : one,
  )
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
