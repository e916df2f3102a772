import type { Context } from 'hono'
import { SETTINGS_KINDS } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import { lacksScope, noRecord } from '../../engine/errors.ts'
import { covers, type Scope } from '../../engine/identity/scopes.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import { SCOPE_OF_KIND, SCOPE_OF_PEOPLE, type Seen, type SettingsKind } from './schema.ts'

/** The number of a change, as its path has it. 404 NOT_FOUND for what is none. */
export function changeIdOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw noRecord(`No change of settings has the id "${shortened(text)}".`)
}

/**
 * The part of the history that the caller may read, and a warning if that is not all of it. 403 SCOPE_MISSING if it asks for a kind that it does
 * not read. A person is a key, and has a scope of its own.
 */
export function seenBy(
  c: Context<AppEnv>,
  asked?: SettingsKind,
): { seen: Seen; warnings: Warning[] } {
  const { scopes } = c.get('caller').key
  const reads = (kind: SettingsKind) => covers(scopes, SCOPE_OF_KIND[kind])
  const people = covers(scopes, SCOPE_OF_PEOPLE)
  const isSeen = (kind: SettingsKind) => reads(kind) || (kind === 'api_key' && people)
  if (asked !== undefined && !isSeen(asked)) throw lacksScope(SCOPE_OF_KIND[asked])
  const kinds = asked === undefined ? SETTINGS_KINDS.filter(isSeen) : [asked]
  const hidden: [string, Scope][] = (asked === undefined ? SETTINGS_KINDS : [asked])
    .filter((kind) => !reads(kind))
    .map((kind) => [kind, SCOPE_OF_KIND[kind]])
  if (!people && (asked ?? 'api_key') === 'api_key') hidden.push(['people', SCOPE_OF_PEOPLE])
  return {
    seen: { kinds, people, keys: reads('api_key') },
    warnings: hidden.length > 0 ? [notAll(hidden)] : [],
  }
}

function notAll(hidden: [what: string, scope: Scope][]): Warning {
  const what = hidden.map(([one]) => one)
  const scopes = new Set(hidden.map(([, scope]) => scope))
  const message = `Has no changes of ${what.join(', ')}: this API key lacks ${[...scopes].join(', ')}.`
  return { field: 'data', message }
}
