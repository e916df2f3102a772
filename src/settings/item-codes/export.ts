import type { Context } from 'hono'
import { CSV_TYPE, csvHead, csvLine, fileNameOf } from '../../engine/answers/csv.ts'
import { sendWhileMade, textParts } from '../../engine/answers/streaming.ts'
import type { AppEnv } from '../../engine/env.ts'
import { takeExport } from '../../engine/exchange/memory.ts'
import { CODE_WORDS, type CodeWords } from './kind.ts'
import { allCodes } from './queries.ts'
import type { CodeTable } from './statements.ts'

/** The columns of the file, which an upload takes back as it is. */
export function csvColumns({ field, hasUnits }: CodeWords): string[] {
  return ['code', field, ...(hasUnits ? ['units'] : [])]
}

/** 200 with all codes as CSV. `hasMark` if it is for a spreadsheet (answers/csv.ts). */
export async function exportCodes(
  c: Context<AppEnv>,
  table: CodeTable,
  search: string | undefined,
  { hasMark = false } = {},
): Promise<Response> {
  const { db, caller } = c.var
  await takeExport(c)
  const words = CODE_WORDS[table.kind]
  const batches = allCodes(db, table, search)
  // Who names no partner gets 404 before the file begins.
  const first = await batches.next()
  const parts = textParts(
    db.pace,
    csvHead(csvColumns(words), { hasMark }),
    followedBy(first.value ?? [], batches),
    ({ code, record_name, units }) => [
      csvLine([code, record_name, ...(words.hasUnits ? [units] : [])], { isGuarded: hasMark }),
    ],
  )
  const name = fileNameOf(`item-codes-${table.kind}`, caller.tenant)
  return await sendWhileMade(c, parts, {
    'Content-Type': CSV_TYPE,
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    Vary: 'Accept',
  })
}

async function* followedBy<Row>(first: Row[], rest: AsyncIterable<Row[]>) {
  yield first
  yield* rest
}
