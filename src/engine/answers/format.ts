import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { AppEnv } from '../env.ts'

export type ExportFormat = 'csv' | 'ndjson'

const FORMATS: Record<string, ExportFormat> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
}
/** These ask for JSON. What comes later counts less, if the caller wants it as much (q). */
const JSON_TYPES = ['application/json', 'application/*', '*/*']

/**
 * The format in which `Accept` asks for a list; null for JSON, which is also the answer to a type that lists do not
 * have. A caller gets an export only if it names the type.
 */
export function exportFormat(c: Context<AppEnv>): ExportFormat | null {
  if (!c.get('release').hasExports) return null
  const type = accepts(c, {
    header: 'Accept',
    supports: [...Object.keys(FORMATS), ...JSON_TYPES],
    default: 'application/json',
    match: (accepted, { supports, default: json }) => {
      const wanted = accepted
        .map(({ type, q }) => ({ type: type.toLowerCase(), q }))
        .filter(({ type, q }) => q > 0 && supports.includes(type))
        .toSorted((one, other) => other.q - one.q || generality(one.type) - generality(other.type))
      return wanted[0]?.type ?? json
    },
  })
  return FORMATS[type] ?? null
}

function generality(type: string): number {
  return type.split('*').length
}
