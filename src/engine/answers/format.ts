import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { AppEnv } from '../env.ts'
import { invalid } from '../errors.ts'

export type ExportFormat = 'csv' | 'ndjson'

const FORMATS: Record<string, ExportFormat> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
}
/** These ask for JSON. What comes later counts less, if the caller wants it as much (q). */
const JSON_TYPES = ['application/json', 'application/*', '*/*']

/** What a row of CSV is: the record, or each line of an order. */
export type ExportedRows = 'records' | 'lines'

/**
 * The format in which `Accept` asks for a list; null for JSON, which is also the answer to a type that lists do not
 * have. A caller gets an export only if it names the type.
 */
export function exportFormat(c: Context<AppEnv>): ExportFormat | null {
  return exportAsked(c)?.format ?? null
}

/**
 * As `exportFormat`, with the rows that `text/csv; rows=…` asks for. 400 VALIDATION_ERROR for rows that the list does not have:
 * the caller means another file.
 */
export function exportAsked(
  c: Context<AppEnv>,
  has: readonly ExportedRows[] = ['records'],
): { format: ExportFormat; rows: ExportedRows } | null {
  const { type, params } = wantedOf(c)
  const format = FORMATS[type]
  if (!format) return null
  const { rows: asked = 'records' } = format === 'csv' ? params : {}
  const rows = has.find((one) => one === asked)
  if (rows === undefined) throw invalid({ Accept: [`rows must be one of: ${has.join(', ')}.`] })
  return { format, rows }
}

interface Wanted {
  type: string
  /** Beside the type, by their names in lower case. */
  params: Record<string, string>
}

function wantedOf(c: Context<AppEnv>): Wanted {
  const json: Wanted = { type: 'application/json', params: {} }
  if (!c.get('release').hasExports) return json
  let found = json
  accepts(c, {
    header: 'Accept',
    supports: [...Object.keys(FORMATS), ...JSON_TYPES],
    default: 'application/json',
    match: (accepted, { supports, default: other }) => {
      const [wanted] = accepted
        .map(({ type, params, q }) => ({ type: type.toLowerCase(), params: lowered(params), q }))
        .filter(({ type, q }) => q > 0 && supports.includes(type))
        .toSorted((one, other) => other.q - one.q || generality(one.type) - generality(other.type))
      found = wanted ?? json
      return wanted?.type ?? other
    },
  })
  return found
}

function lowered(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

function generality(type: string): number {
  return type.split('*').length
}
