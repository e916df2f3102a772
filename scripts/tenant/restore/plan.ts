import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { Failure } from '../../failure.ts'
import { Facts } from './facts.ts'

const FILE = 'restore.json'

const Plan = z.object({
  /** The request id of the row in the audit log that says that the restore is complete. */
  id: z.string(),
  tenant: z.string(),
  environment: z.string().nullable(),
  /** A time, or the SHA-256 of a backup. */
  source: z.string(),
  /** All that the database got since is lost. */
  since: z.string(),
  /** D1's bookmark to restore; null for a backup. */
  bookmark: z.string().nullable(),
  /** D1's bookmark from right before, which undoes the restore; null on this machine. */
  undo: z.string().nullable(),
  /** Whether the integration was on before; null if that was not readable. */
  was_on: z.boolean().nullable(),
  /** Null if the database was damaged. */
  before: Facts.nullable(),
  export: z.string().nullable(),
  /** Whether the restore itself may have been done. */
  attempted: z.boolean(),
  /** What the command printed as JSON, once all is done but the last step. */
  result: z.record(z.string(), z.unknown()).nullable(),
  finished_at: z.string().nullable(),
})

/** A restore, kept in a file from its first step on, so that a later run can complete it. */
export type Plan = z.output<typeof Plan>

/** What an earlier run kept in the folder; null if there is nothing. */
export async function readPlan(
  folder: string,
  { tenant, environment, source }: Pick<Plan, 'tenant' | 'environment' | 'source'>,
): Promise<Plan | null> {
  const path = join(folder, FILE)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const plan = parsed(path, text)
  const isSame =
    plan.tenant === tenant && plan.environment === environment && plan.source === source
  if (isSame) return plan
  throw new Failure(`${path} belongs to another restore: name another folder with --into.`, 2)
}

/** Keeps the plan. The file can be read by its owner only, because it holds names of partners. */
export async function savePlan(folder: string, plan: Plan): Promise<void> {
  await writeWhole(folder, FILE, `${JSON.stringify(plan, null, 2)}\n`)
}

/** Writes the file in one step; a reader finds the old one or the new one. */
export async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `${name}.part`)
  await writeFile(draft, text, { mode: 0o600, flush: true })
  await rename(draft, join(folder, name))
}

function parsed(path: string, text: string): Plan {
  try {
    return Plan.parse(JSON.parse(text))
  } catch {
    throw new Failure(`${path} cannot be read: name another folder with --into.`)
  }
}
