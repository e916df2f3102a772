import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { invalid, lacksScope } from '../../engine/errors.ts'
import { act } from '../../engine/exchange/acting.ts'
import { DRY_RUN } from '../../engine/exchange/dry-run.ts'
import { typeOfText } from '../../engine/formats/format.ts'
import type { Scope } from '../../engine/identity/scopes.ts'
import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { mayActForPartners } from '../../requests/send-again/access.ts'
import { answerOf } from '../../requests/send-again/send.ts'
import { findMapping } from '../../settings/mappings/queries.ts'
import { may } from '../access.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import type { MappingPlace } from '../paths.ts'
import { guessedType } from './document-text.ts'

export const FILE_FORM: Shape = { fields: ['document'], bytesMax: BODY_BYTES_MAX }

/** What is to be done with a file; to check it changes nothing. */
export type FileStep = 'check' | 'send'

/** What the integrations API answered to the file. */
export interface FileAnswer {
  step: FileStep
  status: number
  request_id: string
  /** Null if it has more than 1 MB. The file was sent all the same. */
  body: JsonObject | null
}

/** Whether the session's key may send a file in the partner's place. */
export function mayUseFile(
  c: Context<AppEnv>,
  { resource }: Pick<MappingPlace, 'resource'>,
): boolean {
  return mayActForPartners(c) && may(c, scopeOf(resource))
}

/** 403 unless the session's key may write the resource. */
export function requireFileScope(c: Context<AppEnv>, { resource }: MappingPlace): void {
  if (!may(c, scopeOf(resource))) throw lacksScope(scopeOf(resource))
}

function scopeOf(resource: Resource): Scope {
  return `integrations.${resource}.write`
}

/**
 * Sends a file as the partner would: with its mapping, and the session's own key. The request is answered, audited and
 * bounded as any other; to check is its dry run. 404 without a mapping, 400 for a text that is neither JSON nor what a mapping reads.
 */
export async function sendFile(
  c: Context<AppEnv>,
  { partnerId, resource }: MappingPlace,
  { form, step }: { form: Form; step: FileStep },
): Promise<FileAnswer> {
  const text = form.raw('document').replace(/^[\r\n]+/, '')
  const mapping = await findMapping(c.get('db'), partnerId, resource)
  const type = guessedType(text.trim(), mapping.inbound ?? {})
  if (text.trim() === '') throw invalid({ document: ['Choose a file, or paste its text.'] })
  if (type === null) throw invalid({ document: [UNKNOWN] })
  const url = new URL(`/api/integrations/v1/${resource}/`, c.req.url)
  if (step === 'check') url.search = DRY_RUN
  const body = new TextEncoder().encode(text)
  const headers = {
    'Content-Type': typeOfText(type),
    'Content-Length': String(body.length),
  }
  const request = new Request(url, { method: 'POST', headers, body })
  const actedFor = { partner_id: partnerId, api_key_id: c.get('caller').key.id }
  const response = await act(c, request, { actedFor, replay_of: null, redacted: [] })
  return {
    step,
    status: response.status,
    request_id: response.headers.get('X-Request-Id') ?? '',
    body: (await answerOf(response).catch(() => null)) as JsonObject | null,
  }
}

const UNKNOWN = 'This is neither JSON, nor XML, nor CSV with a row of names, nor a form.'
