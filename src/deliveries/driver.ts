import { DurableObject } from 'cloudflare:workers'
import { connect, type Meter, newMeter } from '../engine/db/connect.ts'
import {
  endExpired,
  selectDue,
  selectHopeful,
  selectToRetry,
  selectWaiting,
} from '../engine/db/waiting.ts'
import type { Bindings } from '../engine/env.ts'
import { isTroubled, retryOf, TROUBLES_MAX, type TryAnswer } from '../engine/exchange/retried.ts'
import { hasRoomForRecord } from '../engine/exchange/several.ts'
import { bindingOf } from '../engine/identity/binding.ts'
import { writeDeliveries } from '../engine/metrics/points.ts'

export const TRIES_MAX = 20
const RUN_MS_MAX = 20_000
const LOOK_AGAIN_MS = 30_000
/** Longer than the write takes that keeps a delivery: it wakes the object first. */
const FIRST_LOOK_MS = 60_000
/** While nothing but a person can help: what is past its time ends, and the operator's alerts hear of what waits. */
const LOOK_RARELY_MS = 60 * 60_000
/** Between two invocations: a try that cannot even note that it failed is due again at once. */
const PAUSE_MS = 1000
const TENANT = 'tenant'

type ToRetry = (typeof selectToRetry)['_']['result'][number]
type Waiting = (typeof selectWaiting)['_']['result'][number]

/** Hono's `app.fetch`. */
type Fetch = (request: Request, env: Bindings, context: ExecutionContext) => unknown

/**
 * The class of the objects that apply waiting deliveries: one object for each tenant that has some. Its alarm looks for
 * what is due, which triggers of the database mark (migrations/0004), and tries it, the oldest first. So a wake that was
 * lost costs time and nothing else.
 */
export function deliveryDriver(fetch: Fetch) {
  return class DeliveryDriver extends DurableObject<Bindings> {
    /** Counts the wakes: what is woken for is not there yet when an alarm looks. */
    #wakes = 0

    /** Something is about to wait. */
    async wake(tenant: string): Promise<void> {
      this.#wakes += 1
      this.ctx.storage.kv.put(TENANT, tenant)
      const next = Date.now() + FIRST_LOOK_MS
      const set = await this.ctx.storage.getAlarm()
      if (set === null || set > next) await this.ctx.storage.setAlarm(next)
    }

    override async alarm(): Promise<void> {
      const tenant = this.ctx.storage.kv.get<string>(TENANT)
      if (tenant === undefined) return
      const before = this.#wakes
      const found = await this.tryDue(tenant).catch(() => {
        console.error(JSON.stringify({ event: 'deliveries_not_tried', tenant }))
        return LOOK_AGAIN_MS
      })
      const isWoken = this.#wakes > before
      const pause = isWoken ? Math.min(found ?? FIRST_LOOK_MS, FIRST_LOOK_MS) : found
      if (pause === null) await this.ctx.storage.deleteAll()
      else await this.ctx.storage.setAlarm(Date.now() + pause)
    }

    /** Tries what is due. In how many ms to look again; null if nothing waits. */
    async tryDue(tenant: string): Promise<number | null> {
      const binding = bindingOf(this.env, tenant)
      if (!binding) return null
      const started_at = Date.now()
      const meter = newMeter()
      const db = connect(binding, meter)
      const now = new Date(started_at).toISOString()
      const [due] = await db.batch([selectDue, endExpired], { now, limit: TRIES_MAX + 1 })
      const send: Send = async (request) =>
        (await fetch(request, this.env, contextOf(this.ctx))) as Response
      let troubles = 0
      for (const { delivery_id } of due.slice(0, TRIES_MAX)) {
        const isLate = Date.now() - started_at > RUN_MS_MAX
        if (isLate || !hasRoomForRecord(meter.statements)) return PAUSE_MS
        const [[waiting]] = await db.batch([selectToRetry], { delivery_id })
        if (waiting && isTroubled(await tryAgain(send, { ...waiting, tenant }, meter)))
          troubles += 1
        if (troubles === TROUBLES_MAX) return LOOK_AGAIN_MS
      }
      if (due.length > TRIES_MAX) return PAUSE_MS
      const [[hopeful], [any], [waiting]] = await db.batch([...selectHopeful, selectWaiting])
      if (waiting) measure(this.env, tenant, waiting)
      if (hopeful) return LOOK_AGAIN_MS
      return any ? LOOK_RARELY_MS : null
    }
  }
}

type Send = (request: Request) => Promise<Response>

/** Adds what the try takes to what the alarm has taken. */
async function tryAgain(
  send: Send,
  { body, content_type, ...retried }: ToRetry & { tenant: string },
  alarm: Meter,
): Promise<TryAnswer> {
  const meter = newMeter()
  const invocation = { meter, statements_before: alarm.statements, dry_run: false }
  const response = await send(retryOf({ ...retried, ...invocation }, body, content_type))
  alarm.statements += meter.statements
  return (await response.json()) as TryAnswer
}

function measure({ METRICS }: Bindings, tenant: string, { records, since, share }: Waiting): void {
  const oldest_ms = since === null ? 0 : Date.now() - Date.parse(since)
  writeDeliveries(METRICS, { tenant, records, oldest_ms, share })
}

function contextOf(state: DurableObjectState): ExecutionContext {
  return {
    waitUntil: (promise) => state.waitUntil(promise),
    passThroughOnException: () => {},
    props: {},
  } as ExecutionContext
}
