import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Import, ImportedState } from '../../requests/undo/imports.ts'
import { may } from '../access.ts'

export const CHANGED_SINCE = 'It was changed since.'

/** Why a record of the import stays as it is; null if its state does not keep it. */
export function whyStays(
  c: Context<AppEnv>,
  { resource }: Import,
  state: ImportedState,
): string | null {
  if (state === 'changed_since') return CHANGED_SINCE
  if (state === 'gone') return 'It is not there any more.'
  if (state === 'inactive') return 'The import has created it, and it is inactive.'
  if (state === 'forgotten') return 'What it had before is not remembered any more.'
  if (state !== 'deactivatable' || mayDeactivate(c, resource)) return null
  return `The import has created it, and to deactivate it you need integrations.${resource}.delete.`
}

function mayDeactivate(c: Context<AppEnv>, resource: Import['resource']): boolean {
  return may(c, `integrations.${resource}.delete`)
}
