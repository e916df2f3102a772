import fc from 'fast-check'
import type { Json } from '../fixtures/tenant.ts'
import type { Knowledge } from './allowed.ts'

// What a caller must know beside the schemas of the documents, since no JSON schema says it:
//
// - which records there are: a partner, the release of a key that is changed, a free order_number, cursors
// - what an e-mail address is, and which are free
// - the calendar, that a moment is in the future, and within the years 0001 to 9999 in UTC
// - which integers a double holds
// - how many bytes and levels an object or a body has
// - that only CSV has pages of more than 200, and which filters go together
// - how many decimals a number of `cost` has (src/openapi/fields.ts says why not)
// - what is wrong with a row of an upload: its answer is a 200
// - of a mapping: which resource its path names, which fields that has and what they take, that rules do not
//   contradict each other, that a source has as many [] as its target, or none, and neither more than two,
//   what a filter says, that "each" has [] or a filter and its target ends in [], that paths of an array all
//   begin with $[, and names that are never taken, such as __proto__, which paths lead to several records, and that a mapping
//   with those drops the rest
// - that two prefixes are not of one namespace
// - of a preview: that a text has a Content-Type, and is what that says; that headers and parameters have none of the names
//   that are never taken
// - of a webhook: which members of its rules go together, headers and paths that can be read, what a filter says, which
//   actions a resource has, keys that are some, and what a secret has to look like
// - of a path that is redacted: how many [] it may have and those names; of all of them, how many bytes

const DATE = /^\d{4}-\d\d-\d\d/
const DAY_OF_ANY_MONTH = /^(?!000[01]|9999).{8}(?:[01]\d|2[0-8])/
const FUTURE = /^[3-9]/

interface Fields {
  texts: string[]
  /** An array. */
  list?: string
  shown: string
}

/** By resource, fields of its bodies that take any text, and one of its records. */
const FIELDS: Record<string, Fields> = {
  orders: {
    texts: ['order_number', 'notes', 'customer_info.city'],
    list: 'metadata.list[]',
    shown: 'order_number',
  },
  products: {
    texts: ['sku', 'custom_fields.colour', "['custom_fields'].a"],
    list: 'custom_fields.list[]',
    shown: 'sku',
  },
  locations: {
    texts: ['code', '$.name', 'metadata.a.b'],
    list: 'metadata.list[]',
    shown: 'code',
  },
  inventory: { texts: ['notes'], shown: 'sku_code' },
}

interface Known {
  partner?: string
  resource?: string | undefined
}

export function knowledgeOf({ partner, resource = 'orders' }: Known): Knowledge {
  const { texts = [], list, shown = '' } = FIELDS[resource] ?? {}
  return {
    partner_id: (values) => (partner ? fc.constantFrom(null, partner) : values),
    order_date: inCalendar,
    due_date: inCalendar,
    limit: (values) => values.filter((limit) => limit <= 200),
    created_from: inCalendar,
    created_to: inCalendar,
    from: inCalendar,
    to: inCalendar,
    expires_at: inFuture,
    email: () => fc.stringMatching(/^[a-z]{12}@[a-z]{3,8}\.com$/),
    until: inFuture,
    rules: (values) => values.map(workable),
    headers: withoutNeverTaken,
    query: withoutNeverTaken,
    prefixes: (values) => values.filter(isOneToOne),
    payload: (values) => values.filter((payload) => typeof payload !== 'string'),
    redact: (values) =>
      values
        .map((paths) => paths.map(plainOf))
        .filter((paths) => JSON.stringify(paths).length < 8000),
    inbound: withRules((rules) => {
      const [lists, others] = [true, false].map((isList) =>
        rules.map(([, rule]) => rule).filter((rule) => (rule.each !== undefined) === isList),
      )
      const each = list
        ? zip([list], lists ?? []).map(([target, rule]) => [target, listed(rule)])
        : []
      return [...zip(texts, (others ?? []).map(simplified)), ...(each as Rule[])]
    }),
    outbound: withRules((rules) =>
      rules
        .filter(([target]) => isPlain(target))
        .slice(0, 1)
        .map(([target, rule]) => [target, sourcedFrom(shown, rule)]),
    ),
  }
}

const VERIFICATIONS: Json[] = [
  { kind: 'hmac', header: 'X-Signature', algorithm: 'sha512', encoding: 'hex', prefix: 'v1=' },
  {
    kind: 'hmac',
    header: 'X-Signature',
    algorithm: 'sha1',
    signed: '{timestamp}.{body}',
    timestamp: { header: 'X-Time' },
  },
  { kind: 'basic', username: 'name' },
]

/** Rules of the resource that can work, with what of the generated ones goes with any others. */
function workable({ resource, verification, delivery_id, event }: Json): Json {
  const at = JSON.stringify(verification).length % VERIFICATIONS.length
  return {
    resource,
    verification: VERIFICATIONS[at],
    ...(event !== undefined && { event: event && { path: 'a.b' } }),
    ...(delivery_id !== undefined && { delivery_id: delivery_id && { header: 'X-Id' } }),
    actions: { '*': 'skip' },
    document: null,
  }
}

/** Old spellings of scopes are for keys of release 1.0: those that the tests change are not. */
export function isForCurrent({ scopes = [], release }: Json): boolean {
  return release === '1.0' || !scopes.some((scope: string) => scope.includes('inventorys'))
}

/** Prefixes are of different namespaces. */
function isOneToOne(prefixes: Json): boolean {
  const addresses = Object.values(prefixes)
  return new Set(addresses).size === addresses.length
}

function withoutNeverTaken(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return values.filter((texts) => !Object.hasOwn(texts, '__proto__'))
}

function inCalendar(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return values.filter((text) => !DATE.test(text) || DAY_OF_ANY_MONTH.test(text))
}

function inFuture(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return inCalendar(values).filter((text) => !DATE.test(text) || FUTURE.test(text))
}

type Rule = [target: string, rule: Json]

/** One direction of a mapping, with what these make of the rules that were generated. */
function withRules(change: (rules: Rule[]) => Rule[]) {
  return (values: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
    values.map((direction) => {
      const rules = Object.entries(direction?.fields ?? {})
      const fields = Object.fromEntries(change(rules))
      return direction && { ...direction, ...recordsOf(direction), fields }
    })
}

/** Records that no rule reads as a whole. What is beside them is dropped. */
function recordsOf({ records }: Json): Json {
  if (!records) return {}
  const group_by = records.group_by?.map((_: Json, at: number) => `every['record'][].n${at}`)
  return {
    records: { each: "every['record'][]", ...(group_by && { group_by }) },
    unmapped: 'drop',
  }
}

function zip(targets: string[], rules: Json[]): Rule[] {
  return targets.slice(0, rules.length).map((target, index) => [target, rules[index]])
}

function listed(rule: Json): Json {
  return { ...rule, each: "a[?@.b == 'c'].d" }
}

/** The rule with texts as fixed values, and with sources that have no part in others. */
function simplified(rule: Json): Json {
  if (typeof rule === 'string') return plainOf(rule)
  if ('value' in rule) return { ...rule, value: 'text' }
  const { as, format, values, ...others } = withSources(rule, plainOf)
  if ('default' in others) others.default = 'text'
  if (values) {
    const entries = Object.keys(values).map((text) => [text, 'text'])
    return { ...others, values: Object.fromEntries(entries) }
  }
  const isOfText = !['integer', 'boolean'].includes(as)
  return { ...others, ...(as && isOfText && { as, ...(format && { format }) }) }
}

function plainOf(path: string): string {
  return isPlain(path) ? path : 'a.b'
}

function sourcedFrom(field: string, rule: Json): Json {
  if (typeof rule === 'string' || rule.each !== undefined) return field
  return withSources(rule, () => field)
}

/** The rule with what this makes of each of its paths. */
function withSources(rule: Json, change: (path: string) => string): Json {
  const changed = (part: Json) => (typeof part === 'string' ? change(part) : part)
  const { from, join } = rule
  return {
    ...rule,
    ...(from !== undefined && { from: Array.isArray(from) ? from.map(changed) : changed(from) }),
    ...(join !== undefined && { join: join.map(changed) }),
  }
}

/** Without elements of arrays, which would have to fit others, and without names that are never taken. */
function isPlain(path: string): boolean {
  return !/\[[^']|__proto__|prototype|constructor/.test(path)
}

const EXCLUSIVE = ['status', 'order_number', 'external_order_id', 'partner_id']

/** Whether the list takes these filters together. */
export function goesTogether(path: string) {
  return (query: Record<string, string>): boolean => {
    const has = (name: string) => query[name] !== undefined
    if (path.endsWith('/:identifier/history/')) return !has('location_code') && !has('sku_code')
    if (path.endsWith('/orders/') && EXCLUSIVE.filter(has).length > 1) return false
    const isAlone = !has('location_code') && !has('sku_code')
    if (isAlone && Number(query.quantity_below ?? 1) > 101) return false
    return hasRange(query)
  }
}

/** Whether no range of the query or body ends before it begins. */
export function hasRange(asked: Json): boolean {
  const { from, to, created_from, created_to } = asked
  return [
    [from, to],
    [created_from, created_to],
  ].every(
    ([begin, end]) =>
      begin === undefined || end === undefined || instantOf(end) >= instantOf(begin),
  )
}

/** Without an offset it is UTC. */
function instantOf(text = ''): number {
  const isZoned = text.length <= 10 || /(Z|[+-]\d\d(:?\d\d)?)$/i.test(text.slice(10))
  return Date.parse(isZoned ? text : `${text}Z`)
}
