import type { TenantDatabase } from '../../engine/db/transact.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import type { HomeSight } from './access.ts'
import { countedTo } from './counted.ts'
import { selectDiffering, selectReasons, waitingIn } from './deliveries.ts'
import { selectSenders, sendersIn } from './senders.ts'
import {
  endingIn,
  selectBackup,
  selectDoubted,
  selectEndingKeys,
  selectPaused,
  selectSetUp,
  setUpIn,
} from './settings.ts'
import {
  openOrdersIn,
  selectLowStock,
  selectOpenOrders,
  selectUploads,
  uploadsIn,
} from './warehouse.ts'

/** A delivery that is given up so soon is the most urgent thing. */
const GIVEN_UP_MS = 3 * DAY_MS
const KEY_END_MS = 14 * DAY_MS
/** A check-up runs each day, so an older result is out of date. */
const CHECKED_MS = 2 * DAY_MS

export type Home = Awaited<ReturnType<typeof readHome>>

/**
 * What the overview says of the tenant, apart from its traffic. In one round trip, and at most 500 rows, however much the
 * tenant has. What the caller may not see is not read.
 */
export async function readHome(db: TenantDatabase, sight: HomeSight) {
  const time = Date.now()
  const values = valuesOf(sight, time)
  const [
    setUp,
    waiting,
    [differing],
    ending,
    paused,
    senders,
    open,
    uploads,
    [low],
    doubted,
    backup,
  ] = await db.read(
    [
      selectSetUp,
      selectReasons,
      selectDiffering,
      selectEndingKeys,
      selectPaused,
      selectSenders,
      selectOpenOrders(sight.orders_of),
      selectUploads,
      selectLowStock,
      selectDoubted,
      selectBackup,
    ],
    values,
  )
  return {
    /** In ISO 8601, when it was read. */
    read_at: values.now,
    setUp: setUpIn(setUp),
    waiting: waitingIn(waiting, values.soon),
    differing:
      differing && differing.oldest_at !== null
        ? { orders: countedTo(differing.orders), oldest_at: differing.oldest_at }
        : null,
    ending: endingIn(ending),
    paused,
    ...sendersIn(senders, time),
    doubted,
    /** When the newest backup was taken, as far as a command has noted one. */
    backed_up_at: backup[0]?.backed_up_at ?? null,
    open: openOrdersIn(open),
    uploads: uploadsIn(uploads),
    /** Records of stock that is low by the setting of the workspace. */
    low: countedTo(low?.records ?? 0),
  }
}

function valuesOf(
  { deliveries, keys, partners, checkUps, orders, stock, orders_of }: HomeSight,
  time: number,
) {
  const at = (ms: number) => new Date(time + ms).toISOString()
  return {
    now: at(0),
    today: `${at(0).slice(0, 10)}T00:00:00.000Z`,
    soon: at(GIVEN_UP_MS),
    key_end: at(KEY_END_MS),
    day_ago: at(-DAY_MS),
    checked_since: at(-CHECKED_MS),
    orders_of,
    sees_deliveries: Number(deliveries),
    sees_keys: Number(keys),
    sees_partners: Number(partners),
    sees_check_ups: Number(checkUps),
    sees_orders: Number(orders),
    sees_stock: Number(stock),
  }
}
