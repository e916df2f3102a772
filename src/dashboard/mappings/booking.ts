import type { Context } from 'hono'
import { allRows } from '../../engine/db/wide-rows.ts'
import type { AppEnv } from '../../engine/env.ts'
import { pageRequest } from '../../engine/json/pagination.ts'
import { EACH, type Path, printPath } from '../../engine/json/path.ts'
import { LOCATIONS, recordName } from '../../records/catalogue/kind.ts'
import { listRecords } from '../../records/catalogue/queries.ts'
import { may } from '../access.ts'
import { readCell } from './cell.ts'
import type { Row } from './draft.ts'
import { leavingOut } from './elements-with.ts'
import { type Hint, OTHERS_STAY, type Remedy } from './remedy.ts'
import { pathOf, valueAt } from './value-at.ts'

const LOCATION = 'inventory[].location_code'
const OFFERED_MAX = 5

/** Where stock without a location can be booked. */
export interface Offered {
  codes: string[]
  hints: Hint[]
}

/** The newest active locations. */
export async function offeredLocations(c: Context<AppEnv>): Promise<Offered> {
  if (!may(c, 'integrations.locations.read')) {
    const label = 'You may not read locations: write the code of one as a fixed value.'
    return { codes: [], hints: [{ label, href: null }] }
  }
  const db = c.get('db')
  const query = { limit: OFFERED_MAX, cursor: undefined }
  const request = pageRequest(c.get('caller').tenant, query)
  const rows = await allRows(
    db,
    await listRecords(LOCATIONS, db, { is_active: undefined }, request),
  )
  const codes = rows.map((row) => recordName(LOCATIONS, row))
  return { codes: codes.slice(0, OFFERED_MAX), hints: hintsFor(codes) }
}

function hintsFor(codes: string[]): Hint[] {
  if (codes.length === 0) {
    return [{ label: 'No location is active yet: make one', href: '/dashboard/locations/' }]
  }
  const label = 'For another location write its code in the rule.'
  return codes.length > OFFERED_MAX ? [{ label, href: null }] : []
}

/** Whether this is the place of a row's location. */
export function isLocation(place: Path): boolean {
  return printPath(place.map((step) => (typeof step === 'number' ? EACH : step))) === LOCATION
}

/**
 * If a rule reads a location, other rows or documents may have one: only those without one are booked, or left out if this
 * document has others.
 */
export function bookings(rows: Row[], mapped: unknown, { codes, hints }: Offered) {
  const row = rows.find(({ target }) => isLocation(pathOf(readCell(target))))
  if (!row || row.source === '') return [...codes.map((code) => bookingAll(row, code)), ...hints]
  const without = hasOthers(mapped) ? leavingOut(row, rows) : []
  return [...codes.map((code) => bookingThese(row, code)), ...without, ...hints]
}

/** True too if that is not known, because the mapping has failed. */
function hasOthers(mapped: unknown): boolean {
  const rows = valueAt(mapped, 'inventory')
  return !Array.isArray(rows) || rows.some((row) => Boolean(valueAt(row, 'location_code')))
}

function bookingAll(row: Row | undefined, code: string): Remedy {
  const target = row?.target ?? LOCATION
  const cells = { target, kind: 'value', source: JSON.stringify(code) } as const
  return { label: `Book all stock at ${code}`, cells }
}

/** A rule with a default cannot require a value. */
function bookingThese({ target, kind }: Row, code: string): Remedy {
  const optional = kind === 'join_required' ? 'join' : kind === 'required' ? 'path' : kind
  const cells = { target, kind: optional, default: JSON.stringify(code) }
  return { label: `Book these at ${code}, ${OTHERS_STAY}`, cells }
}
