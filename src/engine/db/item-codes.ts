import { type SQL, sql } from 'drizzle-orm'
import { byName } from '../json/by-name.ts'
import { CODE_KINDS, type CodeKind, type CodeUse } from '../mapping/item-code.ts'
import { prepared, qb } from './prepared.ts'

/** How a text is looked up: `own` is our own code, `or_own` an item code or our own. */
export type CodeMode = 'own' | 'code' | 'or_own'

export function modeOf(use: CodeUse | null | undefined): CodeMode {
  if (!use) return 'own'
  return use.or_own ? 'or_own' : 'code'
}

/** A text of a document, and what it stands for. Without a `record_name` it is unknown. */
export interface ResolvedCode {
  text: string
  mode: CodeMode
  record_name: string | null
  units: number
}

/**
 * SQL for what texts stand for: rows of ResolvedCode with the members of the placeholder `asked` from the third on as
 * `more`. That is a JSON array of [text, mode, ...], and `codes_of` is the id of the partner.
 */
export function resolvedFrom(kind: CodeKind): SQL {
  const [text, mode] = [sql`asked.value ->> 0`, sql`asked.value ->> 1`]
  return sql`(
    select ${text} as text, ${mode} as mode, asked.value as more,
      ${recordNamedBy(text, mode)} as record_name, coalesce(item_codes.units, 1) as units, item_codes.code is not null as is_code
    from json_each(${sql.placeholder('asked')}) as asked ${joinedCodes(kind, text, mode)}
  )`
}

/** SQL that joins the item code that a text is, if it may be one. `codes_of` is the id of the partner. */
export function joinedCodes(kind: CodeKind, text: SQL, mode: SQL): SQL {
  return sql`left join item_codes on ${mode} <> 'own' and item_codes.partner_id = ${sql.placeholder('codes_of')}
    and item_codes.kind = ${sql.raw(`'${kind}'`)} and item_codes.code = ${text}`
}

/** SQL for the name of our record that a text stands for, beside `joinedCodes`; null if it is unknown. */
export function recordNamedBy(text: SQL, mode: SQL): SQL {
  // Of a text that is a code, neither is looked at again: each look at a member of a JSON value takes a microsecond.
  return sql`coalesce(item_codes.record_name, iif(${mode} = 'code', null, ${text}))`
}

const selectOf = (kind: CodeKind) =>
  prepared(() =>
    qb
      .select({
        text: sql<string>`text`,
        mode: sql<CodeMode>`mode`.as('mode'),
        record_name: sql<string | null>`record_name`.as('record_name'),
        units: sql<number>`units`.as('units'),
      })
      .from(sql`${resolvedFrom(kind)}`),
  )

/** What the texts of `asked` stand for, by the placeholders of `resolvedFrom`. */
export const selectResolved = byName(CODE_KINDS, selectOf)

/** SQL for the version of all codes of the partner `codes_of`. It only rises. */
export const CODES_VERSION = sql<number>`(select coalesce(sum(version), 0) from item_code_tables
  where partner_id = ${sql.placeholder('codes_of')})`

export const selectCodesVersion = prepared(() =>
  qb.select({ version: CODES_VERSION.as('version') }).from(sql`(select 1)`),
)
