import * as z from 'zod'
import type { Environment, Tenant } from './environment.ts'
import { runWranglerJson } from './wrangler.ts'

const Bookmarked = z.object({ bookmark: z.string() })

/** The current bookmark of D1 Time Travel; null on this machine, which has no Time Travel. */
export async function restorePointOf(
  environment: Environment,
  { database_name }: Tenant,
): Promise<string | null> {
  if (environment.name === null) return null
  return await bookmarkOf(environment.name, database_name, [])
}

/** The bookmark of the time, in ISO 8601. */
export async function bookmarkAt(
  env: string,
  { database_name }: Tenant,
  time: string,
): Promise<string> {
  return await bookmarkOf(env, database_name, ['--timestamp', time])
}

/** Sets the whole database back to the bookmark. Doing it again changes nothing but what was written since. */
export async function travelTo(
  env: string,
  { database_name }: Tenant,
  bookmark: string,
): Promise<void> {
  const args = ['d1', 'time-travel', 'restore', database_name, '--env', env, '--bookmark', bookmark]
  Bookmarked.parse(await runWranglerJson(args))
}

async function bookmarkOf(env: string, database: string, when: string[]): Promise<string> {
  const args = ['d1', 'time-travel', 'info', database, '--env', env, ...when]
  return Bookmarked.parse(await runWranglerJson(args)).bookmark
}
