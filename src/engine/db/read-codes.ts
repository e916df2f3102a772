import { BODY_BYTES_MAX } from '../json/fields.ts'
import type { CodeKind } from '../mapping/item-code.ts'
import {
  type CodeMode,
  type ResolvedCode,
  selectCodesVersion,
  selectResolved,
} from './item-codes.ts'
import { jsonParts } from './json-parts.ts'
import type { Query } from './prepared.ts'
import { SettingsChanged, type TenantDatabase } from './transact.ts'

/** A request has the memory to read this number of texts. */
const SMALL_MAX = 200
/** The rows that one batch reads: each has two texts of at most 255 characters. */
const BATCH_TEXTS = 20_000

/** Texts of a document, each with how it is looked up. */
export interface AskedText {
  kind: CodeKind
  text: string
  mode: CodeMode
}

export type KnownCodes = (asked: AskedText) => Pick<ResolvedCode, 'record_name' | 'units'>

/**
 * What the texts stand for, for a write that groups by it before its SQL: one round trip, or more for many thousands. The
 * write of this request is refused, and the request rerun, if codes of the partner have changed by then.
 */
export async function readCodes(
  db: TenantDatabase,
  partner_id: string,
  texts: readonly AskedText[],
): Promise<KnownCodes> {
  if (texts.length > SMALL_MAX) await db.takeMemory(BODY_BYTES_MAX)
  const found = new Map<string, ResolvedCode>()
  let version: number | undefined
  for (let at = 0; at === 0 || at < texts.length; at += BATCH_TEXTS) {
    const queries = await queriesOf(db, texts.slice(at, at + BATCH_TEXTS))
    const [[row], ...results] = await db.read([selectCodesVersion, ...queries], {
      codes_of: partner_id,
    })
    version ??= row?.version
    if (row?.version !== version) throw new SettingsChanged()
    for (const [index, rows] of (results as ResolvedCode[][]).entries()) {
      const { kind } = queries[index] ?? {}
      for (const code of rows) found.set(keyOf({ ...code, kind: kind ?? 'products' }), code)
    }
  }
  db.codesRead = { codes_of: partner_id, codes_version: version ?? 0 }
  return (asked) => found.get(keyOf(asked)) ?? { record_name: null, units: 1 }
}

async function queriesOf(db: TenantDatabase, texts: readonly AskedText[]) {
  const byKind = Map.groupBy(texts, ({ kind }) => kind)
  const queries: (Query & { kind: CodeKind })[] = []
  for (const [kind, asked] of byKind) {
    const parts = await jsonParts(
      asked.map(({ text, mode }) => [text, mode]),
      db.pace,
    )
    for (const part of parts) {
      queries.push(Object.assign(selectResolved[kind].with({ asked: part }), { kind }))
    }
  }
  return queries
}

function keyOf({ kind, mode, text }: AskedText): string {
  return `${kind} ${mode} ${text}`
}
