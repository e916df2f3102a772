import { shortened } from './messages.ts'
import type { Warning } from './warnings.ts'

/** The path at which the caller's own document has, or should have, one of our fields; null if none. */
export type SourceOf = (field: string) => string | null

/** `{source: {field: path}}` for the fields that have a source; `{}` if none has, or without a mapping. */
export function sourcesOf(
  fields: string[],
  sourceOf: SourceOf | undefined,
): { source?: Record<string, string> } {
  const sources = fields.flatMap((field) => {
    const source = sourceOf?.(field)
    return source ? [[field, shortened(source)] as const] : []
  })
  return sources.length > 0 ? { source: Object.fromEntries(sources) } : {}
}

/** The warning, with the paths in the caller's own document as `source` where they differ. */
export function sourced(warning: Warning, sourceOf: SourceOf | undefined): Warning {
  const { differences, ...rest } = withSource(warning, sourceOf)
  if (!differences) return rest
  return { ...rest, differences: differences.map((one) => withSource(one, sourceOf)) }
}

function withSource<T extends { field: string }>(one: T, sourceOf: SourceOf | undefined): T {
  const source = sourceOf?.(one.field)
  return source && source !== one.field ? { ...one, source: shortened(source) } : one
}
