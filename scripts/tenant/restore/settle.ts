import { literal } from '../rows.ts'
import type { Ask, Facts } from './facts.ts'
import { endKeys, type KeyChanges } from './keys.ts'
import type { Plan } from './plan.ts'

// D1 takes 100 KB of SQL in a statement, and a program 128 KB in an argument.
const BATCH_LENGTH_MAX = 50_000

/** Whether the restore is complete: then the database has its row in the audit log. */
export async function isSettled(ask: Ask, { id }: Plan): Promise<boolean> {
  const [rows = []] = await ask([`SELECT 1 FROM audit_log WHERE ${isIts(id)}`])
  return rows.length > 0
}

/** By the index of ids that tell no time. */
function isIts(id: string): string {
  return `request_id = ${literal(id)} AND substr(request_id, 15, 1) <> '7'`
}

/** Batches of SQL that make a restored database one that may serve. They may run twice; the last one settles. */
export function settling(plan: Plan, changes: KeyChanges | null, now = new Date()): string[][] {
  const batches: string[][] = []
  // The leap comes first. So the statements after it give no version that a lost change had.
  let [batch, length]: [string[], number] = [[leap(plan)], 0]
  for (const sql of changes ? endKeys(changes) : []) {
    if (length + sql.length > BATCH_LENGTH_MAX) {
      batches.push(batch)
      ;[batch, length] = [[], 0]
    }
    batch.push(sql)
    length += sql.length
  }
  return [...batches, batch, closing(plan, now)].filter((each) => each.length > 0)
}

/** A step of more than one, beyond every version that a cache has seen: all cached callers are outdated. */
function leap({ before }: Plan): string {
  const least = (before?.settings_version ?? 0) + 2
  return `UPDATE workspace SET settings_version = max(settings_version + 2, ${least}, unixepoch())`
}

function closing(plan: Plan, now: Date): string[] {
  const { before, was_on } = plan
  const staysOff = before === null || was_on === false
  return [
    ...(staysOff
      ? ['UPDATE workspace SET integration_enabled = 0 WHERE integration_enabled = 1']
      : []),
    ...Object.entries(before?.sequences ?? {}).flatMap(([name, seq]) => liftSequence(name, seq)),
    logRestore(plan, now),
  ]
}

function liftSequence(name: string, seq: number): string[] {
  const is = `name = ${literal(name)}`
  return [
    `UPDATE sqlite_sequence SET seq = max(seq, ${seq}) WHERE ${is}`,
    `INSERT INTO sqlite_sequence (name, seq) SELECT ${literal(name)}, ${seq}
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE ${is})`,
  ]
}

/**
 * A row of the audit log that says what was done, and whose seq exceeds every seq ever used, so that none is given
 * twice. What the log got since its last look is not known; it takes less than a row each millisecond.
 */
function logRestore({ id, source, since, before, bookmark }: Plan, now: Date): string {
  const margin = Math.max(now.getTime() - Date.parse(before?.read_at ?? since), 0) + 1
  const path = bookmark === null ? `/backup/${source}` : `/time/${source}`
  const values = [id, now.toISOString(), 'workspace', 'operator', 'Operator', 'RESTORE', path]
  return `INSERT INTO audit_log (seq, settings_version, status, duration_ms,
      request_id, created_at, record_id, api_key_id, api_key_name, method, path)
    SELECT max(${before?.log_seq ?? 0}, (SELECT coalesce(max(seq), 0) FROM audit_log)) + ${margin},
      (SELECT settings_version FROM workspace), 200, 0, ${values.map(literal).join(', ')}
    WHERE NOT EXISTS (SELECT 1 FROM audit_log WHERE ${isIts(id)})`
}

/** Whether the database is as of the plan's source, though not settled. */
export function isRestored({ before }: Plan, now: Facts | null): boolean {
  if (now === null) return false
  // Damaged before, readable now; or as old as no database is that was only made ready.
  return before === null || now.settings_version < before.settings_version
}
