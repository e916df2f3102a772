import type { Starter } from '../../src/settings/mapping-starters/starters.ts'

/** The options of a request whose body is a document of the starter's system. */
export function sentAs({ content_type }: Starter): { headers: Record<string, string> } {
  return { headers: content_type ? { 'Content-Type': content_type } : {} }
}
