import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ArrivedRequest } from '../../requests/deliveries/arrived.ts'
import { findArrivals } from '../../requests/deliveries/arrived.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { may } from '../access.ts'
import { reasonText } from '../parts/reason-text.ts'
import { requestPath } from '../paths.ts'
import { systemOf } from './preset.ts'

/** The element that the script of the page replaces. */
export const ARRIVED = 'arrived'

type Arrivals = Awaited<ReturnType<typeof findArrivals>>

/** Null if the session's key may not read the audit log. */
export async function arrivalsAt(
  c: Context<AppEnv>,
  webhook: { id: string; partner_id: string },
): Promise<Arrivals | null> {
  if (!may(c, 'settings.audit.read')) return null
  return await findArrivals(c.get('db'), webhook.id, webhook.partner_id)
}

interface ArrivedProps {
  preset: WebhookPreset
  arrivals: Arrivals | null
}

/** What has arrived, in a sentence or two. */
export function Arrived({ preset, arrivals }: ArrivedProps) {
  if (!arrivals) {
    return (
      <p class="nothing">
        You may not see what has arrived: you lack the scope settings.audit.read.
      </p>
    )
  }
  const { newest, first } = arrivals
  if (!newest) return <p>Nothing yet. {systemOf(preset)} has sent nothing to this address.</p>
  const isFirst = first?.request_id === newest.request_id
  return (
    <>
      {first && (
        <p>
          First {thingOf(preset)}: {appliedText(first)}, {agoText(first)}.{' '}
          <ShowLink of={first} which={isFirst ? 'this' : 'the first'} />
        </p>
      )}
      {!isFirst && <Newest preset={preset} arrival={newest} />}
    </>
  )
}

function Newest({ preset, arrival }: { preset: WebhookPreset; arrival: ArrivedRequest }) {
  return (
    <p class={hasFailed(arrival) ? 'form-error' : undefined}>
      {textOf(preset, arrival)} <ShowLink of={arrival} which="this" />
    </p>
  )
}

function ShowLink({ of, which }: { of: ArrivedRequest; which: 'this' | 'the first' }) {
  return <a href={requestPath(of.request_id)}>Show {which} request</a>
}

function hasFailed({ status }: ArrivedRequest): boolean {
  return status >= 400
}

function textOf(preset: WebhookPreset, arrival: ArrivedRequest): string {
  const { method, outcome, error_code, message } = arrival
  const ago = agoText(arrival)
  const why = reasonText(message ?? '')
  if (error_code === 'SIGNATURE_INVALID') {
    return `A delivery with a wrong signature, ${ago}. ${why} Compare the secret in ${systemOf(preset)} with the one here.`
  }
  if (method !== 'POST')
    return `${systemOf(preset)} has looked whether the address answers, ${ago}.`
  if (outcome === 'waiting')
    return `A delivery waits, ${ago}: ${why} It is applied within two minutes once that is mended.`
  if (outcome === 'skipped' || outcome === 'stale')
    return `A delivery was ${outcome}, ${ago}: ${why}`
  if (outcome !== null) return `The newest delivery: ${appliedText(arrival)}, ${ago}.`
  return `A delivery was refused, ${ago}: ${why}`
}

function appliedText({ outcome, record_name }: ArrivedRequest): string {
  return record_name === null ? `${outcome}` : `${outcome} ${record_name}`
}

function thingOf({ resource }: WebhookPreset): string {
  return resource === 'inventory' ? 'upload' : resource.slice(0, -1)
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const

function agoText({ created_at }: ArrivedRequest): string {
  const ms = Math.max(0, Date.now() - Date.parse(created_at))
  const [unit, name] = UNITS.find(([size]) => ms >= size) ?? [1000, 's']
  return `${Math.floor(ms / unit)} ${name} ago`
}
