import type { Warning } from './warnings.ts'

/** Where a caller's own document has, or should have, one of our fields; null where nowhere. */
export type SourceOf = (field: string) => string | null

/** `{source: {field: path}}` of those fields that have one; `{}` without a mapping, or without any. */
export function sourcesOf(
  fields: string[],
  sourceOf: SourceOf | undefined,
): { source?: Record<string, string> } {
  const sources = fields.flatMap((field) => {
    const source = sourceOf?.(field)
    return source ? [[field, source] as const] : []
  })
  return sources.length > 0 ? { source: Object.fromEntries(sources) } : {}
}

/** A warning about one of our fields, with where the caller's own document has it, if elsewhere. */
export function sourced(warning: Warning, sourceOf: SourceOf | undefined): Warning {
  const source = sourceOf?.(warning.field)
  return source && source !== warning.field ? { ...warning, source } : warning
}
