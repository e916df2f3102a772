import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { invalid } from '../errors.ts'
import { isLarge, takeLargeWork } from '../exchange/memory.ts'
import { decoded } from '../formats/charset.ts'
import { parseNamedCsv } from '../formats/csv.ts'
import { mediaTypeOf } from '../formats/format.ts'
import type { JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { readBytes, refuseEncoding } from './payload.ts'

/** Whether the request says that its body is CSV. */
export function sendsCsv(c: Context<AppEnv>): boolean {
  return mediaTypeOf(c.req.header('Content-Type') ?? null) === 'text/csv'
}

/**
 * The rows of a CSV body in UTF-8 as objects. The first row names these columns, in any order; `needed` must be among
 * them. An empty cell is no member. 400 VALIDATION_ERROR names what is wrong with the file as a whole.
 */
export async function readCsv(
  c: Context<AppEnv>,
  columns: readonly string[],
  needed: readonly string[],
): Promise<JsonObject[]> {
  const bytes = await readBytes(c)
  refuseEncoding(c)
  if (isLarge(bytes.length)) await takeLargeWork(c, bytes.length)
  return await c.get('db').pace.inTurn(bytes.length, () => rowsOfCsv(bytes, columns, needed))
}

/** As `readCsv`, of a file that is in memory. */
export function rowsOfCsv(
  bytes: Uint8Array,
  columns: readonly string[],
  needed: readonly string[],
): JsonObject[] {
  const { names, rows } = parseNamedCsv(decoded(bytes, 'utf-8'))
  refuseNames(names, columns, needed)
  return rows.map(filledCells)
}

function filledCells(row: Record<string, string>): JsonObject {
  const cells = Object.entries(row).map(([name, cell]) => [name, cell.trim()] as const)
  return Object.fromEntries(cells.filter(([, cell]) => cell !== ''))
}

function refuseNames(names: string[], columns: readonly string[], needed: readonly string[]): void {
  const odd = names.find((name) => !columns.includes(name))
  const missing = needed.find((name) => !names.includes(name))
  if (odd === undefined && missing === undefined) return
  const wrong =
    odd === undefined ? `It lacks "${missing}".` : `It has "${shortened(odd)}" too much.`
  const message = `The first line must name the columns ${columns.join(', ')}. ${wrong}`
  throw invalid({ body: [message] })
}
