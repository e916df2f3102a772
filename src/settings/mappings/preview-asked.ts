import type { Context } from 'hono'
import type { Warning } from '../../document/warnings.ts'
import type { AppEnv } from '../../env.ts'
import { covers } from '../../identity/scopes.ts'
import { mapWithin } from '../../middleware/mapping.ts'
import {
  isLookedUp,
  type Previewed,
  preview,
  previewWithReferences,
  type Trial,
} from './preview.ts'

/**
 * `previewWithReferences` for the caller. What is stored is looked up only for a key that may send the document: the
 * errors tell which records exist, and quantities.
 */
export async function previewAsked(
  c: Context<AppEnv>,
  trial: Trial,
  partnerId: string,
): Promise<Previewed> {
  const scope = `integrations.${trial.resource}.write`
  if (covers(c.get('caller').key.scopes, scope)) {
    return await previewWithReferences(c.get('db'), trial, partnerId, mapWithin(c))
  }
  const previewed = await preview(trial, mapWithin(c))
  if (!isLookedUp(trial, previewed)) return previewed
  return { ...previewed, warnings: [notLookedUp(scope), ...previewed.warnings] }
}

function notLookedUp(scope: string): Warning {
  const message = `Does not have what the database would refuse, such as unknown SKUs: to look that up, your key needs ${scope}.`
  return { field: 'errors', message }
}
