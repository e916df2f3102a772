import * as z from 'zod'
import { Failure } from '../failure.ts'
import { missingSecrets, newSecret } from '../secrets.ts'
import { callCloudflare, reasonOf } from './cloudflare-api.ts'
import type { Environment } from './environment.ts'
import { NO_WORKER } from './versions.ts'
import { runWrangler } from './wrangler.ts'

const Listed = z.array(z.object({ name: z.string() }))

/** The names of the secrets of one group's Worker; null if it has never been deployed. */
export async function secretNames(environment: Environment): Promise<string[] | null> {
  const path = `/workers/scripts/${environment.worker}/secrets`
  const answer = await callCloudflare(environment, { method: 'GET', path })
  const { data } = Listed.safeParse(answer.result)
  if (answer.success && data) return data.map(({ name }) => name)
  if (answer.errors.some(({ code }) => code === NO_WORKER)) return null
  throw new Failure(`The secrets of ${environment.worker} cannot be listed: ${reasonOf(answer)}`)
}

/**
 * Gives the Worker, which must be deployed, secrets of these names with new values: all of them or none. It has them at once,
 * in a new version with the code that serves.
 */
export async function putSecrets({ name: env }: Environment, names: string[]): Promise<void> {
  const secrets = Object.fromEntries(names.map((name) => [name, newSecret()]))
  await runWrangler(['secret', 'bulk', '--env', `${env}`], JSON.stringify(secrets))
}

/**
 * Gives the Worker the secrets that it lacks, and returns their names. It replaces none: everybody would be signed out, and
 * no webhook's secret could be read. `added` are those that were added just now, which Cloudflare may not list yet. What
 * fails here must not keep a release back: `remindOfSecrets` tells of it.
 */
export async function addMissingSecrets(
  environment: Environment,
  added: string[] = [],
): Promise<string[]> {
  try {
    const names = await secretNames(environment)
    const lacking = names === null ? [] : missingSecrets([...names, ...added])
    const missing = lacking.map(({ name }) => name)
    if (missing.length > 0) await putSecrets(environment, missing)
    return missing
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return []
  }
}

/** The outcome of a deployment that has added these secrets. */
export function deployedWith(added: string[]): string {
  if (added.length === 0) return 'done'
  return `done, with ${added.length === 1 ? 'a new secret' : 'new secrets'}, ${added.join(' and ')}`
}

/** Tells which secrets the Worker lacks. Says nothing where they cannot be listed: the Worker serves without them. */
export async function remindOfSecrets(
  environment: Environment,
  tell: (text: string) => void,
): Promise<void> {
  const names = await secretNames(environment).catch(() => null)
  if (names === null) return
  for (const { name, without } of missingSecrets(names)) {
    const command = `openssl rand -base64 32 | npx wrangler secret put ${name} --env ${environment.name}`
    tell(`${name} could not be set, and until you set it ${without}:\n  ${command}`)
  }
}
