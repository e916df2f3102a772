import { invalid } from '../../engine/errors.ts'
import { QUANTITY_MAX, VALUES_MAX } from '../../engine/json/fields.ts'
import type { Pace } from '../../engine/limits/pace.ts'
import { outcomesOf, type RowStep } from './conditions.ts'
import type { UploadRow } from './schema.ts'

// So many that what they replace, [seq, from, to], has at most 1 MB too.
const SLICE_PAIRS_MAX = 20_000
// A UTF-16 unit is at most three bytes, and a slice may have 1,000,000.
const SLICE_LENGTH_MAX = 330_000
// What a slice makes SQL list of its pairs stands in one row (upload-statements.ts), with the location's code beside
// each SKU. D1 takes 2,000,000 bytes in a row.
const LISTED_BYTES_MAX = 1_900_000
// Of a pair, beside its codes.
const NUMBERS_BYTES_MAX = 32
// The outcomes of one pair are one JSON value.
const CONDITIONS_MAX = 10_000

// Of a row: to number its codes, and to write what it asks for.
const NUMBERED_STEPS = 30
const ASKED_STEPS = 150

/** A pair's number stands above its quantity in one integer: both are read without parsing JSON. */
export const NUMBER_SHIFT = 31
export const QUANTITY_MASK = 2 ** NUMBER_SHIFT - 1
if (QUANTITY_MAX > QUANTITY_MASK) throw new Error('quantities need more bits')

/** The well-formed rows of an upload by pair. Pairs are numbered in order of first appearance. */
export interface UploadedPairs {
  /**
   * JSON in slices, `{location: {sku: asked}}`. `asked` is number and quantity in one integer, in an upload with
   * neither repeated pairs nor conditions; otherwise `[number, quantity, rows]`, or `[number, outcomes, rows]` for
   * a pair with a condition (conditions.ts). The pairs of a slice follow those of the slice before.
   */
  slices: string[]
  /** Whether each pair has one row, and no condition. */
  isPlain: boolean
  hasConditions: boolean
  /** The codes, each with its number. */
  locations: ReadonlyMap<string, number>
  skus: ReadonlyMap<string, number>
  /** The indexes of the rows of each pair that has several, in order of first appearance. */
  repeated: readonly (readonly number[])[]
  /** The indexes of a pair's rows. */
  rowsOf: (pair: number) => readonly number[]
}

/** 400 VALIDATION_ERROR if a pair has more than 10,000 rows with a condition. */
export async function pairsOf(
  rows: UploadRow[],
  pace: Pace,
  takesConditions: boolean,
): Promise<UploadedPairs> {
  const [locations, skus] = [new Map<string, number>(), new Map<string, number>()]
  const keys = new Float64Array(rows.length)
  // Of each SKU, by its number: its name as a member of JSON.
  const names: string[] = []
  let hasConditions = false
  // Rows mostly come by location, and a comparison takes less than a look-up.
  let [code, location]: [string | null, number] = [null, 0]
  for (const [index, row] of rows.entries()) {
    if (row.location_code !== code) {
      code = row.location_code
      location = numberOf(locations, code)
    }
    if (pace.spend(NUMBERED_STEPS)) await pace.rest()
    const sku = numberOf(skus, row.sku_code)
    if (sku === names.length) names.push(`${JSON.stringify(row.sku_code)}:`)
    keys[index] = location * VALUES_MAX + sku
    hasConditions ||= takesConditions && row.if_quantity !== undefined
  }
  const grouped = hasRepetition(keys) ? byPair(keys) : null
  const rowsOf = (pair: number) => grouped?.[pair] ?? [pair]
  const isPlain = !grouped && !hasConditions
  const asked = isPlain
    ? (pair: number, row: UploadRow) => pair * 2 ** NUMBER_SHIFT + row.quantity
    : (pair: number) => JSON.stringify(askedOf(pair, stepsOf(rows, rowsOf(pair), hasConditions)))
  const count = grouped?.length ?? rows.length
  const firstOf = (pair: number) => grouped?.[pair]?.[0] ?? pair
  const rowOf = (pair: number) => rows[firstOf(pair)] as UploadRow
  const memberOf = (pair: number, row: UploadRow) =>
    `${names[(keys[firstOf(pair)] as number) % VALUES_MAX]}${asked(pair, row)}`
  const repeated = grouped?.filter(({ length }) => length > 1) ?? []
  const slices = await slicesOf(count, { rowOf, rowsOf, memberOf }, pace)
  return { slices, isPlain, hasConditions, locations, skus, repeated, rowsOf }
}

function numberOf(codes: Map<string, number>, code: string): number {
  const known = codes.get(code)
  if (known !== undefined) return known
  const number = codes.size
  codes.set(code, number)
  return number
}

/** Sorting takes a fifth of the time that a Set of the keys would take. */
function hasRepetition(keys: Float64Array): boolean {
  const sorted = keys.toSorted()
  return sorted.some((key, at) => key === sorted[at + 1])
}

function byPair(keys: Float64Array): number[][] {
  const pairs = new Map<number, number[]>()
  for (const [row, key] of keys.entries()) {
    const known = pairs.get(key)
    if (known) known.push(row)
    else pairs.set(key, [row])
  }
  return [...pairs.values()]
}

function askedOf(pair: number, steps: RowStep[]): unknown[] {
  const conditions = steps.filter(({ if_quantity }) => if_quantity !== undefined).length
  if (conditions > CONDITIONS_MAX) throw tooManyConditions()
  return [pair, conditions > 0 ? outcomesOf(steps) : steps.at(-1)?.quantity, steps.length]
}

/** The rows of a pair, in order. */
export function stepsOf(
  rows: UploadRow[],
  indexes: readonly number[],
  takesConditions: boolean,
): RowStep[] {
  return indexes.map((row) => {
    const { quantity, if_quantity } = rows[row] as UploadRow
    return { row, quantity, if_quantity: takesConditions ? if_quantity : undefined }
  })
}

function tooManyConditions() {
  const message = `A pair may have at most ${CONDITIONS_MAX} rows with if_quantity: send the others in another upload.`
  return invalid({ inventory: [message] })
}

interface Place {
  code: string
  /** The location's code as JSON. */
  name: string
  members: string[]
}

interface Pairs {
  rowOf: (pair: number) => UploadRow
  rowsOf: UploadedPairs['rowsOf']
  memberOf: (pair: number, row: UploadRow) => string
}

/** Of a location's pairs the index entries are neighbours, so SQL gets them together. */
async function slicesOf(
  count: number,
  { rowOf, rowsOf, memberOf }: Pairs,
  pace: Pace,
): Promise<string[]> {
  const slices: string[] = []
  let places = new Map<string, Place>()
  let place: Place | undefined
  let [length, listed, pairs] = [0, 0, 0]
  for (let pair = 0; pair < count; pair++) {
    const row = rowOf(pair)
    if (pace.spend(ASKED_STEPS * rowsOf(pair).length)) await pace.rest()
    const member = memberOf(pair, row)
    const more = member.length + 1
    if (row.location_code !== place?.code) place = places.get(row.location_code)
    const name = place?.name ?? JSON.stringify(row.location_code)
    const listing = 3 * (name.length + member.length) + NUMBERS_BYTES_MAX
    const isFull = length + more > SLICE_LENGTH_MAX || listed + listing > LISTED_BYTES_MAX
    if (isFull || pairs === SLICE_PAIRS_MAX) {
      slices.push(textOf(places))
      places = new Map()
      place = undefined
      length = 0
      listed = 0
      pairs = 0
    }
    if (place) place.members.push(member)
    else {
      place = { code: row.location_code, name, members: [member] }
      places.set(place.code, place)
      // Escaped, a code of a location has at most six units for each of its own.
      length += 6 * row.location_code.length + 6
    }
    length += more
    listed += listing
    pairs += 1
  }
  if (pairs > 0) slices.push(textOf(places))
  return slices
}

function textOf(places: Map<string, Place>): string {
  const texts = Array.from(places.values(), ({ name, members }) => `${name}:{${members.join()}}`)
  return `{${texts.join()}}`
}
