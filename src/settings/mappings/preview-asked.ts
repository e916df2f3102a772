import type { Context } from 'hono'
import { mapWithin } from '../../engine/body/map-inbound.ts'
import { parseInTurn } from '../../engine/body/parse-in-turn.ts'
import type { AppEnv } from '../../engine/env.ts'
import { invalid } from '../../engine/errors.ts'
import { OTHER_TYPES, typeOfText } from '../../engine/formats/format.ts'
import type { FormatOptions } from '../../engine/formats/options.ts'
import { covers, type Scope } from '../../engine/identity/scopes.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import {
  isLookedUp,
  type Previewed,
  type PreviewedDocument,
  preview,
  previewWithReferences,
} from './preview.ts'

/**
 * `previewWithReferences` for the caller. What is stored is looked up only for a key that may send the document: the
 * errors tell which records exist, and quantities.
 */
export async function previewAsked(
  c: Context<AppEnv>,
  trial: PreviewedDocument,
  partnerId: string,
): Promise<Previewed> {
  const scope: Scope = `integrations.${trial.resource}.write`
  const { scopes } = c.get('caller').key
  if (covers(scopes, scope)) {
    return await previewWithReferences(c.get('db'), trial, { partnerId, scopes }, mapWithin(c))
  }
  const previewed = await preview(trial, mapWithin(c), c.get('db').pace)
  if (!isLookedUp(trial, previewed)) return previewed
  return { ...previewed, lacked: scope, warnings: [notLookedUp(scope), ...previewed.warnings] }
}

interface AskedPayload {
  payload: unknown
  content_type?: string | undefined
}

/**
 * The document to try. A text is read as the body of a request with this Content-Type, by these options of its mapping: 400
 * says where it is wrong.
 */
export async function payloadAsked(
  c: Context<AppEnv>,
  { payload, content_type }: AskedPayload,
  formats: FormatOptions | null,
): Promise<Pick<PreviewedDocument, 'payload' | 'listsSingles'>> {
  if (typeof payload !== 'string') return { payload }
  if (content_type === undefined) throw invalid({ content_type: [NEEDED] })
  const bytes = new TextEncoder().encode(payload)
  const { pace } = c.get('db')
  const type = typeOfText(content_type)
  const { value, listsSingles } = await parseInTurn(pace, bytes, type, { formats })
  return { payload: value, listsSingles }
}

const NEEDED = `A payload that is a text needs it: one of ${OTHER_TYPES.join(', ')}. JSON is an object or an array.`

function notLookedUp(lacked: Scope): Warning {
  const message = `Products, locations and existing records were not looked up: this API key lacks the scope ${lacked}. This is the answer if they all fit.`
  return { field: 'would_answer', message }
}
