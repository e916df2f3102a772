import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import type { Kind } from '../../records/catalogue/kind.ts'
import { countForRecord, countOfPartner } from '../../requests/deliveries/summary.ts'
import { deliveriesPath, type PageFilters } from '../paths.ts'
import { deliveries, deliveriesWait } from './words.ts'

// What other pages say of deliveries that wait: nothing to a key that may not see them, and nothing where none waits.

export async function waitingOfPartner(c: Context<AppEnv>, partner_id: string): Promise<number> {
  return mayReadDocuments(c) ? await countOfPartner(c.get('db'), partner_id) : 0
}

/** A line with a link to those that wait. */
export function WaitingLine({ records, filters }: { records: number; filters: PageFilters }) {
  return records === 0 ? null : (
    <p role="status">
      <a href={deliveriesPath(filters)}>{deliveriesWait(records)}</a>{' '}
      {records === 1 ? 'until what it needs is there.' : 'until what they need is there.'}
    </p>
  )
}

type RecordResource = Kind['resource']

const NEED_OF = { products: 'product', locations: 'location' } as const

interface RecordLineProps {
  resource: RecordResource
  code: string
  waiting: Awaited<ReturnType<typeof countForRecord>>
}

export async function waitingForRecord(c: Context<AppEnv>, resource: RecordResource, code: string) {
  return mayReadDocuments(c)
    ? await countForRecord(c.get('db'), NEED_OF[resource], code)
    : { records: 0, due: 0 }
}

/** On the page of a record that was made: it frees the deliveries that waited for it. */
export function FreedDeliveries({ resource, code, waiting: { due } }: RecordLineProps) {
  if (due === 0) return null
  const needs = NEED_OF[resource]
  const at = deliveriesPath({ needs, needs_code: code })
  return (
    <p class="notice" role="status">
      <a href={at}>{deliveries(due)}</a> waited for this {needs}{' '}
      {due === 1 ? 'and is being applied.' : 'and are being applied.'}
    </p>
  )
}

/** Where there is no record of this name. */
export function LackingDeliveries({ resource, code, waiting: { records } }: RecordLineProps) {
  if (records === 0) return null
  const needs = NEED_OF[resource]
  const at = deliveriesPath({ needs, needs_code: code })
  return (
    <p>
      <a href={at}>{deliveriesWait(records)}</a> {`for the ${needs} ${code}.`}
    </p>
  )
}
