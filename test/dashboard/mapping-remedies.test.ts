import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { CELLS, type Fields } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { decode, fieldsOf } from './form-fields.ts'
import { at, FORM, makePartner, savedOf, stock } from './mapping-forms.ts'

type Cells = Record<string, string>

const ORDER: Record<string, Cells> = {
  order_number: { source: 'no' },
  'items[].sku_code': { source: 'lines[].sku' },
  'items[].quantity': { source: 'lines[].qty' },
}

function formOf(rules: Record<string, Cells>): Fields {
  const rows = Object.entries(rules).map(([target, cells]) => ({ kind: 'path', ...cells, target }))
  const columns = CELLS.map((name) => [
    `inbound.${name}`,
    rows.map((row: Cells) => row[name] ?? ''),
  ])
  return { 'inbound.unmapped': 'drop', ...Object.fromEntries(columns) }
}

async function tryRules(
  rules: Record<string, Cells>,
  document: object,
  more: Fields = {},
  resource = 'orders',
) {
  const id = await makePartner()
  const fields = { ...formOf(rules), ...more, document: JSON.stringify(document) }
  return { id, answer: await dashboard.post(`${at(id, resource)}preview/`, fields) }
}

const BUTTON =
  /<button[^>]*name="remedy"[^>]*value="([^"]*)"[^>]*formaction="([^"]*)"[^>]*>([^<]*)</g

function remediesIn(html: string) {
  return Array.from(html.matchAll(BUTTON), ([, value = '', path = '', label = '']) => ({
    value: decode(value),
    path,
    label: decode(label),
  }))
}

const line = (more: object = {}) => ({ sku: 'S1', qty: 2, ...more })
const order = (more: object = {}) => ({ no: unique('no'), lines: [line()], ...more })

type Case = [
  what: string,
  rules: Record<string, Cells>,
  document: object,
  label: string,
  saved: object,
]

const MENDED: Case[] = [
  [
    'white space at the end of a text',
    { ...ORDER, external_order_id: { source: 'id' } },
    order({ id: 'E-1 ' }),
    'Trim white space',
    { external_order_id: { from: 'id', text: ['trim'] } },
  ],
  [
    'true for a text',
    { ...ORDER, external_order_id: { source: 'id' } },
    order({ id: true }),
    'Write it as text',
    { external_order_id: { from: 'id', as: 'string' } },
  ],
  [
    'a number for a text',
    { ...ORDER, external_order_id: { source: 'id' } },
    order({ id: 820982911946 }),
    'Write it as text',
    { external_order_id: { from: 'id', as: 'string' } },
  ],
  [
    'a text for an integer',
    ORDER,
    order({ lines: [line({ qty: '2' }), line({ qty: '3' })] }),
    'Read it as an integer',
    { 'items[].quantity': { from: 'lines[].qty', as: 'integer' } },
  ],
  [
    'a text with a decimal comma for an integer',
    ORDER,
    order({ lines: [line({ qty: '2,00' })] }),
    'Read it as an integer with points between thousands',
    { 'items[].quantity': { from: 'lines[].qty', as: 'integer', decimal: ',' } },
  ],
  [
    'a line that has nothing left',
    {
      'items[]': { kind: 'each', source: 'lines[]' },
      ...ORDER,
      'items[].quantity': { source: 'lines[].qty', as: 'integer', amount: 'less lines[].off' },
    },
    order({ lines: [line({ off: 2 }), line({ off: 1 })] }),
    'Leave out lines that have nothing left',
    {
      'items[].quantity': {
        from: 'lines[].qty',
        as: 'integer',
        less: ['lines[].off'],
        at_zero: 'leave_out',
      },
    },
  ],
  [
    'a datetime of German clocks',
    { ...ORDER, order_date: { source: 'date', as: 'datetime' } },
    order({ date: '21.08.2017 22:22' }),
    'Read it as dd.MM.yyyy HH:mm',
    { order_date: { from: 'date', as: 'datetime', format: 'dd.MM.yyyy HH:mm' } },
  ],
  [
    'a datetime in another form',
    { ...ORDER, order_date: { source: 'date' } },
    order({ date: 'Mon, 21 Aug 2017 22:22:19 +0000' }),
    'Read it as a datetime',
    { order_date: { from: 'date', as: 'datetime' } },
  ],
  [
    'seconds for a datetime',
    { ...ORDER, order_date: { source: 'date' } },
    order({ date: 1712345678 }),
    'Read it as seconds since 1970',
    { order_date: { from: 'date', as: 'datetime', format: 'epoch_seconds' } },
  ],
  [
    'milliseconds that are read as a text',
    { ...ORDER, order_date: { source: 'date', as: 'datetime' } },
    order({ date: '1712345678000' }),
    'Read it as milliseconds since 1970',
    { order_date: { from: 'date', as: 'datetime', format: 'epoch_milliseconds' } },
  ],
  [
    'a line with a SKU that is null',
    ORDER,
    order({ lines: [line(), line({ sku: null })] }),
    'Leave these out: each element of lines[?length(@.sku) > 0]',
    { 'items[]': { each: 'lines[?length(@.sku) > 0]' } },
  ],
  [
    'a line without a SKU that is required',
    { ...ORDER, 'items[].sku_code': { kind: 'required', source: 'lines[].article.code' } },
    order({
      lines: [
        { article: { code: 'S1' }, qty: 1 },
        { article: {}, qty: 2 },
      ],
    }),
    'Leave these out: each element of lines[?length(@.article.code) > 0]',
    { 'items[]': { each: 'lines[?length(@.article.code) > 0]' } },
  ],
  [
    'a line without a SKU where numbers are SKUs',
    {
      ...ORDER,
      'items[].sku_code': { source: "lines[].sku | lines[]['other sku']", as: 'string' },
    },
    order({ lines: [line(), { 'other sku': '', qty: 2 }] }),
    "Leave these out: each element of lines[?length(@.sku) > 0 || @.sku > 0 || length(@['other sku']) > 0 || @['other sku'] > 0]",
    {
      'items[]': {
        each: "lines[?length(@.sku) > 0 || @.sku > 0 || length(@['other sku']) > 0 || @['other sku'] > 0]",
      },
    },
  ],
  [
    'a line without a SKU among those that a filter takes',
    { 'items[]': { kind: 'each', source: "lines[?@.type == 'x' || @.qty > 1]" }, ...ORDER },
    order({ lines: [line(), line({ sku: '' })] }),
    "Leave these out: each element of lines[?(@.type == 'x' || @.qty > 1) && (length(@.sku) > 0)]",
    { 'items[]': { each: "lines[?(@.type == 'x' || @.qty > 1) && (length(@.sku) > 0)]" } },
  ],
  [
    'a value that the table has not',
    { ...ORDER, notes: { source: 'state', values: 'new = open' } },
    order({ state: 'on hold' }),
    'on hold = on hold',
    { notes: { from: 'state', values: { new: 'open', 'on hold': 'on hold' } } },
  ],
]

describe('the remedies of a preview', () => {
  it.each(sample(MENDED, 5))('mend %s', async (_, rules, document, label, saved) => {
    await stock('S1')
    const { id, answer } = await tryRules(rules, document)
    const remedies = remediesIn(answer.text)
    expect(remedies.map((remedy) => remedy.label)).toEqual([label])
    const sent = fieldsOf(answer.text, FORM)
    const [{ value = '', path = '' } = {}] = remedies
    expect(path).toBe(`${at(id)}preview/`)
    const mended = await dashboard.post(path, { ...sent, remedy: value })
    expect(wordsOf(mended)).toContain('This document would be accepted.')
    await dashboard.post(at(id), fieldsOf(mended.text, FORM))
    expect((await savedOf(id)).inbound.fields).toMatchObject(saved)
  })

  it('offer each of our values for one of theirs', async () => {
    const fields = { status: { source: 'state' } }
    const { answer } = await tryRules(fields, { state: 'processing' }, { method: 'PUT' })
    const labels = remediesIn(answer.text).map(({ label }) => label)
    expect(labels).toContain('processing = pending, others stay as they are')
    expect(labels).toContain('processing = draft, others stay as they are')
  })

  it('leave all other documents as they are when they give one of their values', async () => {
    const fields = { status: { source: 'state' } }
    const found = await tryRules(fields, { state: 'processing' }, { method: 'PUT' })
    const { value = '', path = '' } =
      remediesIn(found.answer.text).find(({ label }) => label.startsWith('processing = draft')) ??
      {}
    const mended = await dashboard.post(path, {
      ...fieldsOf(found.answer.text, FORM),
      remedy: value,
    })
    await dashboard.post(at(found.id), fieldsOf(mended.text, FORM))
    const { inbound } = await savedOf(found.id)
    expect(inbound.fields.status).toEqual({
      from: 'state',
      values: { processing: 'draft', '*': { as: 'is' } },
    })
    const preview = (state: string) =>
      admin.post(`/api/settings/v1/partners/${found.id}/mappings/orders/preview/`, {
        method: 'PUT',
        payload: { state },
      })
    for (const [state, status] of [
      ['processing', 'draft'],
      ['in_progress', 'in_progress'],
      ['verified', 'verified'],
    ] as const) {
      const { body } = await preview(state)
      expect([state, body.data.mapped?.status]).toEqual([state, status])
    }
  })

  it.each([
    [{ item: null, n: 1 }, {}, 'Leave these out: each element of stock[?length(@.item) > 0]'],
    [{ item: 'S1', n: '4' }, {}, 'Read it as an integer'],
    [{ item: 'new', n: 1 }, { values: 'old = S1' }, 'new = new'],
  ])('are those of rows of an upload: %j with %j', async (row, cells, label) => {
    const rules = {
      'inventory[].location_code': { source: 'stock[].bin' },
      'inventory[].sku_code': { source: 'stock[].item', ...cells },
      'inventory[].quantity': { source: 'stock[].n' },
    }
    const document = { stock: [{ bin: 'B', ...row }] }
    const { answer } = await tryRules(rules, document, {}, 'inventory')
    expect(remediesIn(answer.text).map((remedy) => remedy.label)).toEqual([label])
  })

  it('are in the pane alone, too', async () => {
    const { answer } = await tryRules(ORDER, order({ lines: [line({ qty: '2' })] }), { pane: '1' })
    expect(remediesIn(answer.text)).toHaveLength(1)
  })

  it.each<[string, Record<string, Cells>, object]>([
    ['a text that is no number', ORDER, order({ lines: [line({ qty: 'two' })] })],
    ['a quantity that is too small', ORDER, order({ lines: [line({ qty: 0 })] })],
    ['an object', { ...ORDER, notes: { source: 'note' } }, order({ note: {} })],
    [
      'a filter that takes two',
      { ...ORDER, notes: { source: 'lines[?@.qty > 0].sku' } },
      order({ lines: [line(), line()] }),
    ],
    [
      'a line without a SKU where another array has the quantities',
      { ...ORDER, 'items[].quantity': { source: 'counts[]' } },
      order({ counts: [1, 2], lines: [line(), line({ sku: null })] }),
    ],
    [
      'a value that is shown in part',
      { ...ORDER, notes: { source: 'note', values: 'new = open' } },
      order({ note: 'x'.repeat(100) }),
    ],
    ['a document that fits', ORDER, order()],
  ])('are none for %s', async (_, rules, document) => {
    await stock('S1')
    const { answer } = await tryRules(rules, document)
    expect(remediesIn(answer.text)).toEqual([])
  })

  it('stand once at the first of several records that lacks it, and mend them all', async () => {
    const rules = {
      order_number: { source: 'all[].no' },
      'items[].sku_code': { source: 'all[].lines[].sku' },
      'items[].quantity': { source: 'all[].lines[].qty' },
    }
    const lines = [line({ qty: '2' })]
    const more = { 'inbound.records_each': 'all[]' }
    const { id, answer } = await tryRules(
      rules,
      { all: [order(), order({ lines }), order({ lines })] },
      more,
    )
    const remedies = remediesIn(answer.text)
    expect(remedies.map(({ label }) => label)).toEqual(['Read it as an integer'])
    expect(wordsOf(answer)).toMatch(/Record 2, .* Read it as an integer .*Record 3/)
    const [{ value = '', path = '' } = {}] = remedies
    const mended = await dashboard.post(path, { ...fieldsOf(answer.text, FORM), remedy: value })
    expect(wordsOf(mended)).not.toContain('integer, not')
    await dashboard.post(at(id), fieldsOf(mended.text, FORM))
    expect((await savedOf(id)).inbound.fields).toMatchObject({
      'items[].quantity': { from: 'all[].lines[].qty', as: 'integer' },
    })
  })

  it('are none for a rule without a path, whose field the document has by itself', async () => {
    const rules = { ...ORDER, notes: { source: '' } }
    const kept = { 'inbound.unmapped': 'keep' }
    const { answer } = await tryRules(rules, order({ notes: 5 }), kept)
    expect(wordsOf(answer)).toContain('notes Must be a string, not a number.')
    expect(remediesIn(answer.text)).toEqual([])
  })

  it.each(['', '{', '[]', '{"target":1}', '{"target":"notes","kind":"x"}'])(
    'change nothing where %j is sent instead of one',
    async (remedy) => {
      const { answer } = await tryRules(ORDER, order(), { remedy })
      expect(answer.status).toBe(200)
      expect(fieldsOf(answer.text, FORM)['inbound.target']?.filter(Boolean)).toEqual(
        Object.keys(ORDER),
      )
    },
  )
})

const STOCK: Record<string, Cells> = {
  'inventory[].sku_code': { source: 'stock[].item' },
  'inventory[].quantity': { source: 'stock[].n' },
}
const LOCATION = 'inventory[].location_code'
const unplaced = (rule?: Cells) => ({ ...(rule && { [LOCATION]: rule }), ...STOCK })

/** A document of stock, whose rows have these bins. */
const bins = (...each: unknown[]) => ({ stock: each.map((bin) => ({ item: 'S1', n: 1, bin })) })

const tryStock = (rule: Cells | undefined, document: object) =>
  tryRules(unplaced(rule), document, {}, 'inventory')

const labelsIn = ({ text }: Answer) => remediesIn(text).map(({ label }) => label)

async function openLocations(...codes: string[]) {
  const { body } = await admin.get('/locations/')
  for (const { code } of body.data) await admin.delete(`/locations/${code}/`)
  for (const code of codes) {
    await admin.post('/locations/', { code })
    await admin.put(`/locations/${code}/`, { is_active: true })
  }
}

type StockCase = [
  what: string,
  rule: Cells | undefined,
  document: object,
  labels: string[],
  saved: object,
]

const EACH_FILLED = 'stock[?length(@.bin) > 0]'

const PLACED: StockCase[] = [
  ['without a rule', undefined, bins('B'), ['Book all stock at A'], { [LOCATION]: { value: 'A' } }],
  [
    'with an unfinished rule',
    { source: '' },
    bins('B'),
    ['Book all stock at A'],
    { [LOCATION]: { value: 'A' } },
  ],
  [
    'with a path that finds nothing',
    { source: 'stock[].place', as: 'string' },
    bins('B', 'B'),
    ['Book these at A, others stay as they are'],
    { [LOCATION]: { from: 'stock[].place', as: 'string', default: 'A' } },
  ],
  [
    'in some rows',
    { source: 'stock[].bin' },
    bins('A', null, ''),
    ['Book these at A, others stay as they are', `Leave these out: each element of ${EACH_FILLED}`],
    { [LOCATION]: { from: 'stock[].bin', default: 'A' } },
  ],
  [
    'in joined texts that are required',
    { kind: 'join_required', source: 'stock[].bin' },
    bins('A', null),
    ['Book these at A, others stay as they are'],
    { [LOCATION]: { join: ['stock[].bin'], default: 'A' } },
  ],
  [
    'in rows that require one',
    { kind: 'required', source: 'stock[].bin' },
    bins('A', null),
    ['Book these at A, others stay as they are', `Leave these out: each element of ${EACH_FILLED}`],
    { [LOCATION]: { from: 'stock[].bin', default: 'A' } },
  ],
]

describe('the remedies of stock without a location', () => {
  it.each(PLACED)('mend it %s', async (_, rule, document, labels, saved) => {
    await stock('S1')
    await openLocations('A')
    const { id, answer } = await tryStock(rule, document)
    expect(labelsIn(answer)).toEqual(labels)
    const [{ value = '', path = '' } = {}] = remediesIn(answer.text)
    const mended = await dashboard.post(path, { ...fieldsOf(answer.text, FORM), remedy: value })
    expect(wordsOf(mended)).toContain('This document would be accepted.')
    await dashboard.post(at(id, 'inventory'), fieldsOf(mended.text, FORM))
    expect((await savedOf(id, 'inventory')).inbound.fields).toMatchObject(saved)
  })

  it('leave out the rows that have none', async () => {
    await stock('S1')
    await openLocations('A')
    const { answer } = await tryStock({ source: 'stock[].bin' }, bins('A', null))
    const [, { value = '', path = '' } = {}] = remediesIn(answer.text)
    const mended = await dashboard.post(path, { ...fieldsOf(answer.text, FORM), remedy: value })
    expect(wordsOf(mended)).toContain('This document would be accepted.')
  })

  it('offer five locations, the newest first, and none that is inactive', async () => {
    await openLocations('A', 'B', 'C', 'D', 'E', 'F', 'G')
    await admin.delete('/locations/G/')
    const { answer } = await tryStock(undefined, bins('B', 'B'))
    expect(labelsIn(answer)).toEqual([...'FEDCB'].map((code) => `Book all stock at ${code}`))
    expect(wordsOf(answer)).toContain('For another location write its code in the rule.')
  })

  it('are a link where no location is active', async () => {
    await openLocations()
    const { answer } = await tryStock(undefined, bins('B'))
    expect(labelsIn(answer)).toEqual([])
    expect(answer.text).toMatch(
      /<a href="\/dashboard\/locations\/"[^>]*>No location is active yet: make one/,
    )
  })

  it('name no location to a key that may not read them', async () => {
    await openLocations('A')
    const id = await makePartner()
    const limited = await openDashboard(['settings.*', 'integrations.inventory.*'])
    const fields = { ...formOf(unplaced()), document: JSON.stringify(bins('B')) }
    const answer = await limited.post(`${at(id, 'inventory')}preview/`, fields)
    expect(labelsIn(answer)).toEqual([])
    expect(wordsOf(answer)).toContain('You may not read locations')
    expect(answer.text).not.toContain('href="/dashboard/locations/"')
  })

  it('are none where every row has a location', async () => {
    await openLocations()
    const { answer } = await tryStock({ source: 'stock[].bin' }, bins('X'))
    expect(labelsIn(answer)).toEqual([])
    expect(wordsOf(answer)).not.toContain('make one')
  })
})

describe('what has no effect', () => {
  it('is marked in the record', async () => {
    const rules = { ...ORDER, status: { source: 'state' } }
    const { answer } = await tryRules(rules, order({ state: 'pending' }))
    expect(wordsOf(answer)).toContain('status "pending" without effect, state')
    expect(wordsOf(answer)).toContain('order_number')
    expect(answer.text.match(/without effect/g)).toHaveLength(1)
  })
})
