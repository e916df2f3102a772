import fc from 'fast-check'

// JSON texts as no JSON.stringify writes them: most of them well formed, all of them nasty.

const FIELDS = [
  ...['order_number', 'external_order_id', 'customer_name', 'customer_info', 'notes', 'due_date'],
  ...['order_date', 'metadata', 'status', 'items', 'sku', 'quantity', 'is_active', 'cost', 'code'],
  ...['custom_fields', 'name', 'zone', 'aisle', 'inventory', 'source', 'reason', 'scopes', 'id'],
  ...['partner_id', 'expires_at', 'overlap_seconds', 'inbound', 'outbound', 'fields', 'unmapped'],
  ...['identifier_field', 'default_identifier_field', 'payload', 'method', 'mapping', 'doc'],
  ...['sku_code', 'location_code', 'audit_retention_days', '__proto__', 'constructor', 'toString'],
  ...['keep_documents', 'of', 'days', 'redact'],
]

const FREE = ['"metadata"', '"custom_fields"', '"customer_info"', '"payload"', '"doc"']

const NUMBERS = [
  ...['0', '-0', '-0.0', '1', '-1', '1.0', '2e9', '2000000001', '1E5', '0.1e1', '12.50', '1e-7'],
  ...['9007199254740993', '-9223372036854775808', '1e308', '1e400', '-1e400', '1e-400', '-1e-400'],
  ...['9'.repeat(400), `1${'0'.repeat(309)}`, `0.${'3'.repeat(400)}`],
]
const NO_NUMBERS = [
  'NaN',
  'Infinity',
  '-Infinity',
  '+1',
  '01',
  '.5',
  '1.',
  '1e',
  '0x10',
  '1_0',
  '--1',
]

const STRINGS = [
  ...['""', '" "', '"a"', '"\\u0000"', '"\\ud800"', '"\\udc00x"', '"\\ud83d\\ude00"', '"😀"'],
  ...[
    '"\\u0061"',
    '"\\/\\b\\f\\n\\r\\t\\"\\\\"',
    '"\u007f\u2028\ufeff"',
    '"2026-02-30"',
    '"2026-03-01"',
  ],
  ...[
    '"9999-12-31T23:59:59-12:00"',
    '"12.50"',
    '"-0"',
    '"1e5"',
    '"pending"',
    '"shipped"',
    '"keep"',
  ],
  ...[
    '"cancelled"',
    '"integrations.*"',
    '"doc.order_number"',
    '"items[].sku_code"',
    '"%00"',
    '".."',
  ],
  ...[`"'; drop table orders; --"`, '"$(x)"', '"<script>"', `"${'x'.repeat(256)}"`],
  ...[`"${'é'.repeat(3000)}"`, `"${'😀'.repeat(5001)}"`],
]
const NO_STRINGS = [
  '"\n"',
  '"\u0000"',
  '"\\x41"',
  '"\\u12"',
  "'a'",
  '"',
  'undefined',
  'True',
  '/**/1',
]

const rarely = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 300, arbitrary: usual }, { weight: 1, arbitrary: other })

const space = rarely(
  fc.constantFrom('', '', '', ' ', '\r\n\t'),
  fc.constantFrom('\u00a0', '\ufeff', '\u0000', '\v'),
)
const text = rarely(
  fc.oneof(
    fc.constantFrom(...STRINGS),
    fc.string({ unit: 'binary', maxLength: 12 }).map((value) => JSON.stringify(value)),
  ),
  fc.constantFrom(...NO_STRINGS),
)
const number = rarely(
  fc.oneof(
    fc.constantFrom(...NUMBERS),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  ),
  fc.constantFrom(...NO_NUMBERS),
)
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...FIELDS).map((field) => `"${field}"`) },
  { weight: 1, arbitrary: fc.constantFrom(...FIELDS).map(escaped) },
  { weight: 1, arbitrary: text },
)

function escaped(field: string): string {
  return `"\\u${field.charCodeAt(0).toString(16).padStart(4, '0')}${field.slice(1)}"`
}

const spaced = (token: fc.Arbitrary<string>) =>
  fc.tuple(space, token, space).map((parts) => parts.join(''))
const joined = (parts: string[], [open, close]: string) => `${open}${parts.join(',')}${close}`

const { value, object, member } = fc.letrec<{ value: string; object: string; member: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 3, arbitrary: spaced(text) },
      { weight: 3, arbitrary: spaced(number) },
      { weight: 1, arbitrary: spaced(fc.constantFrom('null', 'true', 'false')) },
      {
        weight: 2,
        arbitrary: fc.array(tie('value'), { maxLength: 4 }).map((all) => joined(all, '[]')),
      },
      { weight: 2, arbitrary: tie('object') },
      { weight: 1, arbitrary: fc.integer({ min: 14, max: 66 }).map(nested) },
    ),
    object: fc.array(tie('member'), { maxLength: 6 }).map((all) => joined(all, '{}')),
    member: fc
      .oneof(
        { weight: 3, arbitrary: fc.tuple(spaced(name), tie('value')) },
        { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...FREE), tie('object')) },
      )
      .map((both) => both.join(':')),
  }),
)

function nested(levels: number): string {
  const [open, close] = levels % 2 === 0 ? ['[', ']'] : ['{"a":', '}']
  return `${open.repeat(levels)}1${close.repeat(levels)}`
}

/** A text, damaged in a few places as bytes. */
function damaged(source: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  const damage = fc.record({
    at: fc.nat({ max: 400 }),
    removed: fc.nat({ max: 3 }),
    inserted: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom('"', '{', ']', ',', ':', '\\', '\u0000', '9', 'e').map(encode),
    ),
  })
  return fc
    .tuple(source.map(encode), fc.array(damage, { minLength: 1, maxLength: 3 }))
    .map(([bytes, damages]) =>
      damages.reduce((left, { at, removed, inserted }) => {
        const place = at % (left.length + 1)
        return Uint8Array.from([
          ...left.slice(0, place),
          ...inserted,
          ...left.slice(place + removed),
        ])
      }, bytes),
    )
}

function encode(source: string): Uint8Array {
  return new TextEncoder().encode(source)
}

/** The body with a new identifier, or with nasty values in some of its members, as text. */
function altered(valid: object): fc.Arbitrary<string> {
  const saved = Object.entries(valid)
  const [own] = saved.filter(([field]) => /^(order_number|sku|code|name)$/.test(field))
  const replacement = fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: value },
  )
  return fc
    .tuple(
      fc.stringMatching(/^[0-9a-f]{16}$/),
      fc.tuple(...saved.map(() => replacement)),
      fc.array(member, { maxLength: 2 }),
    )
    .map(([fresh, replacements, more]) => {
      const members = saved.map(([field, kept], index) => {
        const told = field === own?.[0] ? fresh : kept
        return `"${field}":${replacements[index] ?? JSON.stringify(told)}`
      })
      return joined([...members, ...more], '{}')
    })
}

/** What somebody may send instead of this body; `wrap` puts it where a partner's document has it. */
export function bodies(
  valid: object,
  wrap: (text: string) => string = (text) => text,
): fc.Arbitrary<string | Uint8Array> {
  const close = altered(valid)
  return fc.oneof<fc.MaybeWeightedArbitrary<string | Uint8Array>[]>(
    { weight: 6, arbitrary: close.map(wrap) },
    { weight: 3, arbitrary: object.map(wrap) },
    { weight: 2, arbitrary: object },
    { weight: 3, arbitrary: damaged(close.map(wrap)) },
    { weight: 1, arbitrary: fc.tuple(close, fc.nat({ max: 60 })).map(cut) },
    { weight: 1, arbitrary: fc.tuple(close.map(wrap), text).map((both) => both.join('')) },
    { weight: 1, arbitrary: value },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  )
}

function cut([source, length]: [string, number]): string {
  return source.slice(0, length)
}

const TYPES = [
  'application/json',
  'text/plain',
  'application/json; charset=',
  'multipart/form-data',
]
const CHARSETS = ['utf-8', 'utf-16', '"', '"utf-8"', 'utf-8, application/json', ';', ';charset=']
const header = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
})

/** Headers beside the key; with a value of their own or one that others would take. */
export const headerSets: fc.Arbitrary<Record<string, string>> = fc
  .record(
    {
      'Content-Type': fc.oneof(
        fc
          .tuple(fc.constantFrom(...TYPES), fc.constantFrom('', ...CHARSETS))
          .map((all) => all.join('')),
        header,
      ),
      'Content-Encoding': fc.oneof(
        fc.constantFrom('', 'identity', 'IDENTITY', 'gzip', 'br, gzip', 'identity, identity'),
        header,
      ),
      'Content-Length': fc.oneof(
        fc.constantFrom('0', '1', '10485761', '-1', '1e3', '1, 1'),
        header,
      ),
      'Transfer-Encoding': fc.oneof(fc.constantFrom('chunked', 'gzip', 'identity'), header),
      Accept: header,
      Cookie: header,
      Expect: fc.constant('100-continue'),
      Host: header,
      Origin: header,
      Range: fc.constantFrom('bytes=0-1', 'bytes=-'),
      'If-None-Match': header,
      'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'GET'),
      'X-Request-Id': header,
      'X-Long': fc.nat({ max: 20_000 }).map((length) => 'x'.repeat(length)),
    },
    { requiredKeys: [] },
  )
  .map((headers) => ({ ...headers }))
