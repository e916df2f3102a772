import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { UNLIMITED } from '../../src/engine/json/filter/evaluate.ts'
import { type Filter, readCondition } from '../../src/engine/json/filter/filter.ts'
import { type Path, parsePath } from '../../src/engine/json/path.ts'
import { convert } from '../../src/engine/mapping/convert.ts'
import { STARTER_NAMES, type Starter } from '../../src/settings/mapping-starters/starters.ts'
import { WebhookPreset } from '../../src/settings/webhook-presets/preset-schema.ts'
import { WEBHOOK_PRESET_NAMES } from '../../src/settings/webhook-presets/presets.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Edit, edited } from '../starters/edit.ts'
import { readStarters } from '../starters/starter.ts'
import { STATES } from '../starters/states.ts'

const folder = 'src/settings/webhook-presets/documents'

const presets = WEBHOOK_PRESET_NAMES.map(
  (name): WebhookPreset => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')),
)

const starters = await readStarters()

function starterOf(name: string): Starter {
  return starters.find((starter) => starter.name === name) ?? expect.fail(`no starter ${name}`)
}

/** The presets whose events carry the record of a starter. */
const carrying = presets.flatMap((preset) => {
  return preset.starter ? [{ ...preset, record: starterOf(preset.starter).document as Json }] : []
})

/** A condition as `take_if` and `cancel_if` have it. */
function condition(text: string): Filter {
  return readCondition(text)
}

const holds = (text: string | null, record: Json) =>
  text !== null && condition(text).test(record, UNLIMITED)

/** What becomes of a record: `cancel_if` is asked first. */
function fateOf({ rules: { take_if, cancel_if } }: WebhookPreset, record: Json) {
  if (holds(cancel_if, record)) return 'cancelled'
  return take_if === null || holds(take_if, record) ? 'taken' : 'skipped'
}

function valueAt(path: Path, document: Json): Json {
  return path.reduce<Json>((inner, step) => {
    if (typeof step === 'string') return inner?.[step]
    return typeof step === 'number' ? inner?.at(step) : expect.fail('not a single place')
  }, document)
}

/** All places of the rules that are paths of a body. */
function pathsOf({ rules }: WebhookPreset): string[] {
  const { verification, event, delivery_id, document, changed_at } = rules
  const places = [verification.timestamp, delivery_id, event].flat() as Json[]
  const paths = places.map((place) => place?.path)
  return [...paths, document, changed_at].filter((path) => typeof path === 'string')
}

describe('a webhook preset', () => {
  it('has a file, and each file is one', () => {
    const files = readdirSync(folder).map((file) => file.replace('.json', ''))
    expect(files.toSorted()).toEqual(WEBHOOK_PRESET_NAMES)
    expect(presets.map(({ name }) => name)).toEqual(WEBHOOK_PRESET_NAMES)
    expect(new Set(presets.map(({ title }) => title)).size).toBe(presets.length)
  })

  it.each(presets)('$name has what a preset has', (preset) => {
    expect(WebhookPreset.safeParse(preset).error?.issues ?? []).toEqual([])
  })

  it.each(presets)('$name has paths and conditions of the mapping language', (preset) => {
    for (const path of pathsOf(preset)) parsePath(path, { isSource: true })
    const { take_if, cancel_if } = preset.rules
    for (const text of [take_if, cancel_if]) if (text !== null) condition(text)
  })

  it.each(presets)('$name names starters that exist, of its resource', (preset) => {
    for (const name of [preset.starter, preset.test_document]) {
      if (name === null) continue
      expect(STARTER_NAMES).toContain(name)
      expect(starterOf(name).resource).toBe(preset.resource)
      // Its rules, and the test that the dashboard delivers, are of JSON.
      expect(starterOf(name).content_type).toBe(undefined)
    }
  })

  it.each(presets)('$name tells once where to paste the address', ({ steps }) => {
    expect(steps.join('\n').match(/\{address\}/g)).toHaveLength(1)
    expect(steps.join('\n').match(/\{(?!address\}|store_hash\})/g)).toBe(null)
  })

  it.each(presets)('$name says what becomes of an event that it does not name', ({ rules }) => {
    expect(rules.actions['*']).toBeDefined()
  })

  it.each(presets)('$name has rules of its resource', ({ resource, rules }) => {
    expect(rules.resource).toBe(resource)
    if (resource !== 'orders') expect(rules.cancel_if).toBe(null)
  })

  it.each(presets)('$name has a secret where the sender proves who it is with one', (preset) => {
    const { kind } = preset.rules.verification
    expect(preset.secret === null).toBe(['address', 'public_key'].includes(kind))
  })

  it.each(presets)('$name says in plain words that a record does not come with it', (preset) => {
    const carriesNone = /do not carry it|not the lines/.test(preset.about)
    expect(Object.values(preset.rules.actions).every((action) => action === 'skip')).toBe(
      carriesNone,
    )
    if (carriesNone) expect(preset.starter).toBe(null)
  })
})

describe('the document of its starter', () => {
  it.each(carrying)('is taken by $name', (preset) => {
    expect(fateOf(preset, preset.record)).toBe('taken')
  })

  it.each(carrying)('says to $name when it has changed', ({ rules, record }) => {
    if (rules.changed_at === null) return
    const value = valueAt(parsePath(rules.changed_at, { isSource: true }), record)
    if (typeof value === 'number') return
    expect(convert(value, 'datetime', null, UNLIMITED)).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  })

  it.each(carrying)('stands at one place of the body of $name', ({ rules: { document } }) => {
    for (const step of document === null ? [] : parsePath(document)) {
      expect(typeof step).toBe('string')
    }
  })
})

const ordering = carrying
  .filter(({ starter }) => STATES[starter ?? ''])
  .map((preset) => ({ ...preset, states: STATES[preset.starter ?? ''] ?? expect.fail() }))

const fatesOf = (preset: (typeof ordering)[number], edits: Edit[] = []) =>
  edits.map((edit) => ({ edit, fate: fateOf(preset, edited(preset.record, edit)) }))

describe('an order', () => {
  it('is what six presets at least can be tried with', () => {
    expect(ordering.length).toBeGreaterThanOrEqual(6)
  })

  it.each(ordering)('that $starter cancels is cancelled by $name', (preset) => {
    for (const { edit, fate } of fatesOf(preset, preset.states.cancelled)) {
      expect({ edit, fate }).toEqual({ edit, fate: 'cancelled' })
    }
  })

  it.each(ordering)('that $starter takes or counts as shipped is taken by $name', (preset) => {
    const { taken = [], shipped = [] } = preset.states
    for (const { edit, fate } of fatesOf(preset, [...taken, ...shipped])) {
      expect({ edit, fate }).toEqual({ edit, fate: 'taken' })
    }
  })

  it.each(ordering)('that $starter refuses does not wait for $name', (preset) => {
    for (const { edit, fate } of fatesOf(preset, preset.states.refused)) {
      expect({ edit, fate }).not.toEqual({ edit, fate: 'taken' })
    }
  })

  it.each(ordering)('without any member is not taken by $name, nor cancelled', (preset) => {
    const nothing = Array.isArray(preset.record) ? [] : {}
    expect(fateOf(preset, nothing)).toBe('skipped')
  })
})

describe('the table of states in docs/connect-a-shop.md', () => {
  const document = readFileSync('docs/connect-a-shop.md', 'utf8')
  const rows = document.split('\n').flatMap((line) => {
    const [, states = '', delivered = '', posted = ''] = line.split('|')
    const named = states.match(/`[\w-]+`/g) ?? []
    return /POST|---/.test(line) || !/\b4\d\d\b|creates/.test(posted)
      ? []
      : named.map((state) => ({ state: state.slice(1, -1), delivered, posted }))
  })
  const preset = carrying.find(({ name }) => name === 'woocommerce-orders') ?? expect.fail()
  const { refused = [] } = STATES['woocommerce-order'] ?? expect.fail()

  it('has the states of WooCommerce', () => {
    const states = rows.map(({ state }) => state)
    expect(states).toEqual(expect.arrayContaining(['processing', 'failed', 'on-hold', 'completed']))
  })

  it.each(rows)('says what becomes of $state', ({ state, delivered, posted }) => {
    const fate = fateOf(preset, { ...preset.record, status: state })
    const words = { cancelled: 'cancels the order', skipped: 'skipped', taken: /creates|counts as/ }
    expect(delivered.trim()).toMatch(new RegExp(words[fate]))
    if (fate === 'skipped') expect(delivered.trim()).toBe('skipped')
    expect(refused.some((edit) => edit.status === state)).toBe(posted.includes('422'))
  })
})
