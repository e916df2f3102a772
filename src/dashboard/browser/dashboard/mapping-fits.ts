// What the server's own datetimes take without a conversion.
const ISO_DATE =
  /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:[Zz]|[+-]\d\d(?::?\d\d)?))?|[Zz])?$/
const OTHER_DATE = /^(?:\d{8}|\/Date\(.*\)\/|(?:[A-Za-z]{3}, *)?\d{1,2} +[A-Za-z]{3} +\d{4} .*)$/
const NO_DATE = /^(?:0000-|0001-)/
const INTEGER = /^[+-]?\d+(?:\.0+)?$/
const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/
const BOOLEANS = ['true', 'false', '0', '1']

/**
 * The conversion by which a field of this kind takes the values: empty for none, null if it cannot take
 * them.
 */
export function conversionFor(kind: string, values: unknown[]): string | null {
  const needed = new Set(values.map((value) => conversionOf(kind, value)))
  needed.delete('')
  const [conversion = '', other] = needed
  return other === undefined ? conversion : null
}

function conversionOf(kind: string, value: unknown): string | null {
  if (kind === 'any') return ''
  if (kind === 'object') return null
  if (kind === 'string' || kind === 'choice') return typeof value === 'string' ? '' : 'string'
  // An empty text is no value for a rule that converts.
  const text = String(value).trim()
  if (kind === 'datetime') return datetimeConversion(text, typeof value)
  if (text === '') return kind
  if (kind === 'integer') return INTEGER.test(text) ? own(typeof value === 'number', kind) : null
  if (kind === 'decimal') return DECIMAL.test(text) ? '' : null
  return BOOLEANS.includes(text) ? own(typeof value === 'boolean', kind) : null
}

function own(isOfKind: boolean, kind: string): string {
  return isOfKind ? '' : kind
}

function datetimeConversion(text: string, type: string): string | null {
  if (/^\d{9,10}$/.test(text)) return 'epoch_seconds'
  if (/^\d{12,13}$/.test(text)) return 'epoch_milliseconds'
  if (type !== 'string') return null
  if (text === '' || NO_DATE.test(text) || OTHER_DATE.test(text)) return 'datetime'
  return ISO_DATE.test(text) ? '' : null
}
