import type { Context } from 'hono'
import { partsOfDelivered } from '../engine/body/map-inbound.ts'
import { SettingsChanged } from '../engine/db/transact.ts'
import type { AppEnv } from '../engine/env.ts'
import { ApiError, type ReasonOf, unavailable } from '../engine/errors.ts'
import { act, partIn } from '../engine/exchange/acting.ts'
import { retriedIn, type TryAnswer } from '../engine/exchange/retried.ts'
import { Allowance, ErrorsOfRecords } from '../engine/exchange/several.ts'
import { partType } from '../engine/formats/format.ts'
import { isAddressable } from '../engine/mapping/identifier.ts'
import type { DocumentParts } from '../engine/mapping/inbound.ts'
import { valuePath, withMember } from '../engine/webhooks/template.ts'
import { noteEnd, skip } from './apply.ts'
import { arrivedAt } from './arrival.ts'
import type { DeliveredRecord, DeliveryResult, ToApply } from './delivery.ts'
import { type BodyOf, keepRest } from './keep-rest.ts'

/**
 * Applies each record of a document that has several by a request of its own: with its own conditions, outcome and audit
 * row, which names this one. What is left when time or statements run out waits, and goes on by itself. Null where the
 * document is one record. Throws what the first record was told if that could be neither applied nor kept.
 */
export async function applyEach(
  c: Context<AppEnv>,
  delivery: ToApply,
  body: unknown,
): Promise<DeliveryResult | null> {
  const { rules, understood, payload } = delivery
  const { resource } = rules
  const isOne = understood.isByEvent && understood.action === 'skip'
  if (isOne || !isAddressable(resource) || partIn(c)) return null
  const parts = await partsOfDelivered(c, resource, payload)
  if (!parts || parts.count === null || parts.count === 1) return null
  const { count } = parts
  if (count === 0) return await skip(c, 'The document has no record.')
  await c.get('db').confirm()
  const bodyOf = bodiesOf(c, delivery, body, parts)
  const results = await applyInTurn(c, delivery, count, bodyOf)
  c.get('db').subject.outcome = 'several'
  const rest = { from: results.length, count, bodyOf, content_type: partType(payload) }
  if (results.length < count) await keepRest(c, rules, rest)
  else if (retriedIn(c)) await noteEnd(c, 'several')
  return {
    outcome: 'several',
    record: null,
    reason: reasonOf(results, count),
    results,
    warnings: [],
  }
}

function bodiesOf(
  c: Context<AppEnv>,
  { rules: { document }, payload }: ToApply,
  body: unknown,
  parts: DocumentParts,
): BodyOf {
  const { pace } = c.get('db')
  return async (from, to) =>
    await pace.inTurn(payload.bytes, () => {
      const part = parts.only(from, to)
      const whole = document === null ? part : withMember(body, valuePath(document), part)
      return JSON.stringify(whole)
    })
}

/** The results of those that were tried, from the first one on. */
async function applyInTurn(
  c: Context<AppEnv>,
  delivery: ToApply,
  count: number,
  bodyOf: BodyOf,
): Promise<DeliveredRecord[]> {
  const { meter } = c.get('exchange')
  const allowance = new Allowance(meter, retriedIn(c)?.statements_before)
  const errors = new ErrorsOfRecords()
  const results: DeliveredRecord[] = []
  for (let index = 0; index < count; index++) {
    if (index > 0 && allowance.isSpent) break
    const { data, error, delivery_id } = await applyPart(
      c,
      delivery,
      await bodyOf(index, index + 1),
    )
    if (!data) {
      if (index > 0 && error?.code === 'UNAVAILABLE') break
      throw refusalOf(error)
    }
    const { outcome, record, reason } = data
    results.push({
      ...{ index, outcome, record, delivery_id },
      ...(reason !== undefined && { reason }),
      ...(data.error && { error: errors.shown(data.error) }),
    })
  }
  return results
}

type PartAnswer = Omit<TryAnswer, 'data'> & {
  data?: Omit<DeliveredRecord, 'index' | 'delivery_id' | 'error'> &
    Pick<NonNullable<TryAnswer['data']>, 'error'>
  delivery_id: string
}

/** Makes the request of one record. */
async function applyPart(
  c: Context<AppEnv>,
  { understood: { event, sender_id }, sent, payload }: ToApply,
  body: string,
): Promise<PartAnswer> {
  const { meter, request_id, dry_run } = c.get('exchange')
  const headers = { 'Content-Type': partType(payload) }
  const request = new Request(c.req.url, { method: 'POST', headers, body })
  const part = {
    sender_event: event,
    sender_id,
    sent_with: sent,
    created_at: arrivedAt(c),
    dry_run,
  }
  const acted = { actedFor: null, part, meter, replay_of: request_id, redacted: [] }
  const response = await act(c, request, acted)
  const delivery_id = response.headers.get('X-Request-Id') ?? ''
  return { ...((await response.json()) as Omit<PartAnswer, 'delivery_id'>), delivery_id }
}

/** Why the record was neither applied nor kept, as its own request was told. */
function refusalOf(error: TryAnswer['error']): Error {
  const { code, message = '', reason } = error ?? {}
  if (reason === 'SETTINGS_CHANGING') return new SettingsChanged()
  if (code === 'UNAVAILABLE' && reason !== undefined) {
    return unavailable(message, reason as ReasonOf<'UNAVAILABLE'>)
  }
  const told = `A record of the delivery can be neither applied nor kept. ${message}`
  return new ApiError('PAYLOAD_TOO_LARGE', told, { reason: 'BODY_TOO_LARGE' })
}

function reasonOf(results: DeliveredRecord[], count: number): string {
  const outcomes = Map.groupBy(results, ({ outcome }) => outcome)
  const told = Array.from(outcomes, ([outcome, same]) => `${same.length} ${outcome}`)
  const left = count - results.length
  const rest = left === 0 ? '' : ` ${left} are not tried yet: they wait, and go on by themselves.`
  return `${count} records: ${told.join(', ')}.${rest}`
}
