import type { Context } from 'hono'
import { SETTINGS_KINDS } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import { lacksScope, noRecord } from '../../engine/errors.ts'
import { covers } from '../../engine/identity/scopes.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import { SCOPE_OF_KIND, type SettingsKind } from './schema.ts'

/** The number of a change, as its path has it. 404 NOT_FOUND for what is none. */
export function changeIdOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw noRecord(`No change of settings has the id "${shortened(text)}".`)
}

/**
 * The kinds of which the caller reads changes, and a warning if it does not read all. 403 SCOPE_MISSING if it asks for
 * one that it does not read.
 */
export function kindsFor(c: Context<AppEnv>, asked?: SettingsKind) {
  const { scopes } = c.get('caller').key
  const mayRead = (kind: SettingsKind) => covers(scopes, SCOPE_OF_KIND[kind])
  if (asked !== undefined && !mayRead(asked)) throw lacksScope(SCOPE_OF_KIND[asked])
  if (asked !== undefined) return { kinds: [asked], warnings: [] }
  const hidden = SETTINGS_KINDS.filter((kind) => !mayRead(kind))
  return {
    kinds: SETTINGS_KINDS.filter(mayRead),
    warnings: hidden.length > 0 ? [notAll(hidden)] : [],
  }
}

function notAll(hidden: SettingsKind[]): Warning {
  const scopes = new Set(hidden.map((kind) => SCOPE_OF_KIND[kind]))
  const message = `Has no changes of ${hidden.join(', ')}: this API key lacks ${[...scopes].join(', ')}.`
  return { field: 'data', message }
}
