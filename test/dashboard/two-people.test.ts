import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { byDepth, sample } from '../fixtures/depth.ts'
import type { Fields } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openPartner } from '../fixtures/partner.ts'
import { versionIn } from '../fixtures/session.ts'
import { issueKey, KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'
import { shownIn } from './form-fields.ts'
import { checkHistory, newestChange } from './replayed-history.ts'

// docs/behaviour.md, Versions and history of settings: whatever two people do by the API and by forms, no change
// disappears unless the one who replaces it has seen it.

/** The two fields that both people edit, as texts of a form. */
type Values = Record<string, string>

interface Place {
  record_id: string
  api: string
  page: string
}

interface Edited {
  kind: string
  make: () => Promise<Place>
  fields: Record<string, readonly [string, string, string]>
  /** What else the form sends. */
  form: Fields
  /** The body that gives a field this text. */
  toApi: (name: string, text: string) => object
  /** The texts of the fields of a record. */
  fromApi: (record: Json) => Values
}

/** What somebody has before their eyes. */
interface View {
  /** The version, as the API or the form has it. */
  tag: string
  shown: Values
  /** The record as it was then. */
  base: Values
  /** How often the record had changed. */
  changes: number
}

interface Act {
  person: 0 | 1
  by: 'api' | 'form'
  does: 'open' | 'save'
  field: 0 | 1
  value: 0 | 1 | 2
}

const NAMES = ['North', 'South', 'West'] as const
const SETTINGS = '/api/settings/v1'

const RULES = { unmapped: 'keep', fields: { order_number: 'no', notes: 'remark' } }

const EDITED: Edited[] = [
  {
    kind: 'a partner',
    make: async () => placeOf('partners', (await openPartner()).id),
    fields: { name: NAMES, default_identifier_field: ['', 'notes', 'name'] },
    form: {},
    toApi: (name, text) => ({ [name]: text || null }),
    fromApi: textsOf('name', 'default_identifier_field'),
  },
  {
    kind: 'an API key',
    make: async () => placeOf('api-keys', (await issueKey(admin)).id),
    fields: { name: NAMES, rate_limit: ['', '60', '90'] },
    form: { access: 'full' },
    toApi: (name, text) => ({ [name]: name === 'rate_limit' ? Number(text) || null : text }),
    fromApi: textsOf('name', 'rate_limit'),
  },
  {
    kind: 'the workspace',
    make: async () => ({ record_id: 'demo', api: WORKSPACE, page: '/dashboard/workspace/' }),
    fields: { name: NAMES, undo_days: ['7', '8', '9'] },
    form: {},
    toApi: (name, text) => ({ [name]: name === 'undo_days' ? Number(text) : text }),
    fromApi: textsOf('name', 'undo_days'),
  },
  {
    kind: 'a mapping',
    make: async () => {
      const { id } = await openPartner({ mappings: { orders: { inbound: RULES } } })
      const at = `partners/${id}/mappings/orders/`
      return { record_id: id, api: `${SETTINGS}/${at}`, page: `/dashboard/${at}` }
    },
    fields: {
      identifier_field: ['', 'notes', 'external_order_id'],
      'inbound.unmapped': ['keep', 'drop', 'reject'],
    },
    form: {
      'inbound.target': Object.keys(RULES.fields),
      'inbound.kind': Object.keys(RULES.fields).map(() => 'path'),
      'inbound.source': Object.values(RULES.fields),
    },
    toApi: (name, text) =>
      name === 'identifier_field'
        ? { identifier_field: text || null }
        : { inbound: { ...RULES, unmapped: text } },
    fromApi: ({ identifier_field, inbound }) => ({
      identifier_field: identifier_field ?? '',
      'inbound.unmapped': inbound.unmapped,
    }),
  },
]

const ACTS: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    person: fc.constantFrom(0, 1),
    by: fc.constantFrom('api', 'form'),
    does: fc.constantFrom('open', 'save', 'save'),
    field: fc.constantFrom(0, 1),
    value: fc.constantFrom(0, 1, 2),
  }),
  { minLength: 8, maxLength: 16, size: 'max' },
)

/** Both save one field after both have opened it. */
const AGAINST_EACH_OTHER: Act[] = [
  { person: 0, by: 'form', does: 'open', field: 0, value: 0 },
  { person: 1, by: 'form', does: 'open', field: 0, value: 0 },
  { person: 0, by: 'form', does: 'save', field: 0, value: 1 },
  { person: 1, by: 'form', does: 'save', field: 0, value: 2 },
]

afterAll(async () => {
  await admin.put(WORKSPACE, { name: 'Test', undo_days: 7 })
})

function textsOf(...names: string[]) {
  return (record: Json): Values =>
    Object.fromEntries(names.map((name) => [name, String(record[name] ?? '')]))
}

function placeOf(kind: 'partners' | 'api-keys', id: string): Place {
  const api = kind === 'partners' ? `${SETTINGS}/partners/${id}/` : `${KEYS}${id}/`
  return { record_id: id, api, page: `/dashboard/${kind}/${id}/` }
}

describe.each(sample(EDITED, 1))('two people who edit $kind', (edited) => {
  it('lose nothing that the other one has changed unseen, and the history has every step', async () => {
    let conflicts = 0
    const property = fc.asyncProperty(ACTS, async (acts) => {
      const course = new Course(edited, await edited.make())
      await course.begin()
      for (const act of acts) await course.take(act)
      await course.end()
      conflicts += course.conflicts
    })
    await fc.assert(property, {
      examples: [[AGAINST_EACH_OTHER]],
      numRuns: byDepth(4, 60),
      endOnFailure: true,
    })
    expect(conflicts).toBeGreaterThan(0)
  })
})

/** One record, what both people see of it, and what it should be. */
class Course {
  conflicts = 0
  readonly #edited: Edited
  readonly #place: Place
  readonly #names: string[]
  /** A partner's name is its own. */
  readonly #mark = unique('')
  readonly #views = new Map<string, View>()
  #now: Values = {}
  #changes = 0
  #newest = 0

  constructor(edited: Edited, place: Place) {
    this.#edited = edited
    this.#place = place
    this.#names = Object.keys(edited.fields)
  }

  async begin(): Promise<void> {
    this.#now = await this.#saved()
    this.#newest = await newestChange(admin)
  }

  async take({ person, by, does, field, value }: Act): Promise<void> {
    const who = `${person} by ${by}`
    const view = this.#views.get(who)
    const name = this.#names[field] ?? ''
    if (does === 'open' || !view) this.#views.set(who, await this.#open(by))
    else if (by === 'api') await this.#send(who, view, name, this.#text(name, value))
    else await this.#submit(who, view, { ...view.shown, [name]: this.#text(name, value) })
  }

  async end(): Promise<void> {
    expect(await this.#saved()).toEqual(this.#now)
    await checkHistory(admin, this.#place, this.#newest, this.#changes)
  }

  #text(name: string, value: Act['value']): string {
    const text = this.#edited.fields[name]?.[value] ?? ''
    return name === 'name' ? text + this.#mark : text
  }

  async #saved(): Promise<Values> {
    return this.#edited.fromApi((await admin.get(this.#place.api)).body.data)
  }

  async #open(by: Act['by']): Promise<View> {
    if (by === 'form') return this.#seen(await dashboard.get(this.#place.page))
    const { headers } = await admin.get(this.#place.api)
    const [now, changes] = [this.#now, this.#changes]
    return { tag: headers.get('ETag') ?? '', shown: now, base: now, changes }
  }

  #seen(page: Answer): View {
    const shown = this.#names.map((name) => [name, shownIn(page.text, name)])
    const [base, changes] = [this.#now, this.#changes]
    return { tag: versionIn(page), shown: Object.fromEntries(shown), base, changes }
  }

  async #send(who: string, { tag, changes }: View, name: string, text: string): Promise<void> {
    const body = this.#edited.toApi(name, text)
    const answer = await admin.put(this.#place.api, body, { headers: { 'If-Match': tag } })
    expect(answer.status).toBe(changes === this.#changes ? 200 : 412)
    this.#views.delete(who)
    if (answer.status === 200) this.#store({ ...this.#now, [name]: text })
    else this.conflicts += 1
  }

  async #submit(who: string, { tag, base, changes }: View, typed: Values): Promise<void> {
    const fields = { ...this.#edited.form, ...typed, version: tag }
    const answer = await dashboard.post(this.#place.page, fields)
    expect(answer.status).toBe(changes === this.#changes ? 303 : 412)
    this.#views.delete(who)
    if (answer.status === 303) {
      this.#store(typed)
      return
    }
    this.conflicts += 1
    const offered = this.#seen(answer)
    // What was typed stays, and what only the other one has changed is taken over.
    const merged = this.#names.map((name) => {
      return [name, typed[name] === base[name] ? this.#now[name] : typed[name]]
    })
    expect(offered.shown).toEqual(Object.fromEntries(merged))
    this.#views.set(who, offered)
  }

  #store(values: Values): void {
    if (this.#names.some((name) => values[name] !== this.#now[name])) this.#changes += 1
    this.#now = values
  }
}
