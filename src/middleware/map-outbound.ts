import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { STEPS_OF_WORK } from '../engine/body/map-inbound.ts'
import type { AppEnv } from '../engine/env.ts'
import type { Resource } from '../engine/mapping/identifier.ts'
import { mapRecord, RECORD_BYTES_MAX, type SpentWork } from '../engine/mapping/outbound.ts'
import type { SavedRules } from '../engine/mapping/saved-rule.ts'

const LEFT_OUT = `Left out: with this field, the mapped record would exceed ${RECORD_BYTES_MAX} bytes and twice the size of our record, or the filters, joins and conversions of this response would take more steps than they may.`

/** For a record that is measured field by field. */
const CUT_WORK = 100_000

/** Maps the records of an answer by the outbound mapping of the caller's partner. */
export function mapOutbound(resource: Resource) {
  return createMiddleware<AppEnv>(async function mapOutbound(c, next) {
    const saved = c.get('caller').partner?.mappings[resource]?.outbound
    if (saved) {
      const spent = { work: 0 }
      c.set('outbound', (record) => mapOne(c, saved, record, spent))
      c.set('outboundRules', saved)
    }
    await next()
  })
}

/** For an answer with records of several resources: maps one as mapOutbound does; null if none is mapped. */
export function outboundBy<Name extends Resource>(c: Context<AppEnv>, resources: readonly Name[]) {
  const mappings = c.get('caller').partner?.mappings ?? {}
  if (!resources.some((name) => mappings[name]?.outbound)) return null
  const spent = { work: 0 }
  return (resource: Name, record: object): object => {
    const saved = mappings[resource]?.outbound
    return saved ? mapOne(c, saved, record, spent) : record
  }
}

function mapOne(c: Context<AppEnv>, saved: SavedRules, record: object, spent: SpentWork): object {
  const before = spent.work
  const { value, leftOut } = mapRecord(saved, record, spent)
  // Who makes the text of the answer rests.
  const work = leftOut.length > 0 ? CUT_WORK : Math.max(0, spent.work - before)
  c.get('db').pace.spend(work * STEPS_OF_WORK)
  const known = c.get('warnings')
  for (const field of leftOut) {
    if (known.some((warning) => warning.message === LEFT_OUT && warning.field === field)) continue
    known.push({ field, message: LEFT_OUT })
  }
  return value
}
