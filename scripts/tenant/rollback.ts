import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tenantOfBinding } from '../../src/engine/identity/binding.ts'
import { Failure } from '../failure.ts'
import { callCloudflare, reasonOf } from './cloudflare-api.ts'
import { CONFIG } from './config-file.ts'
import { type Database, listDatabases } from './databases.ts'
import { newestApplied, servedVersion } from './deployment.ts'
import {
  type Binding,
  databaseNameOf,
  type Environment,
  ownsDatabase,
  TENANTS_MAX,
} from './environment.ts'
import { type Need, needIn, numberOf } from './expand-contract.ts'
import { inParallel } from './parallel.ts'
import { migrationFiles } from './state.ts'
import {
  deployableVersion,
  deployedVersions,
  shownTag,
  targetOf,
  type Version,
} from './versions.ts'

/** Cloudflare's code for a version whose secrets have changed since. */
const SECRETS_CHANGED = 10220

export interface Rollback {
  from: Version
  to: Version
}

/**
 * The version to go back to: the newest one that was deployed before with other code, or the one with that id, which may be that
 * which serves. Null if no other code has been deployed before.
 */
export async function findRollback(
  environment: Environment,
  id?: string,
): Promise<Rollback | null> {
  let from: Version | null = null
  // A version that a changed secret has made has no tag, but the code of one that has.
  const tags = new Map<string, Version['tag']>()
  let to: Version | null = null
  for await (const version of deployedVersions(environment)) {
    from ??= version
    if (version.tag) tags.set(version.code, tags.get(version.code) ?? version.tag)
    const isWanted = id === undefined ? version.code !== from.code : version.id === id
    if (isWanted) to ??= version
    if (to && tags.has(to.code)) break
  }
  if (!from) throw new Failure(`${environment.worker} has never been deployed.`)
  if (!to && id === undefined) return null
  to ??= await deployableVersion(environment, `${id}`)
  if (!to) throw new Failure(`No version ${id} can be deployed to ${environment.worker}.`)
  const tagged = (version: Version) => ({ ...version, tag: tags.get(version.code) ?? version.tag })
  return { from: tagged(from), to: tagged(to) }
}

/**
 * Throws a Failure if the tenants answer with another version than Cloudflare's list has. Right after a deployment the list may be
 * behind, and the version before would be two releases back. If two versions share the requests, both are right.
 */
export async function refuseStaleList(environment: Environment, { from }: Rollback): Promise<void> {
  if (!from.tag || from.share < 100) return
  const served = await servedVersion(environment)
  if (served === null || served.version === from.tag.version) return
  throw new Failure(
    `Cloudflare's list says that ${shownTag(from.tag)} serves, and ${served.slug} answers as ${served.version}. One of them is behind: run this again in a minute.`,
  )
}

/** Such as `0.1.0+0016 (1a2b3c4d-…, deployed 2026-11-20T10:30:00Z)`. */
export function nameOf({ id, tag, deployed_at }: Version): string {
  return `${tag ? shownTag(tag) : 'a version without a tag'} (${id}, deployed ${deployed_at})`
}

/** Throws a Failure that names everything that the old version would break. */
export async function refuseUnsafeRollback(
  environment: Environment,
  { from, to }: Rollback,
): Promise<void> {
  const bindings = bindingFaults(environment, from, to, await listDatabases(environment))
  const faults = [
    ...bindings,
    ...objectFaults(from, to),
    ...(await migrationFaults(environment, to)),
  ]
  if (faults.length === 0) return
  const heading = `${environment.worker} cannot be rolled back to ${nameOf(to)}:`
  const advice = `A version has the bindings of its time. To deploy its code with those of today, check that code out, keep today's ${CONFIG}, and run npm run deploy -- --env ${environment.first}.`
  const lines = faults.map((fault) => `  ${fault}`)
  throw new Failure([heading, ...lines, ...(bindings.length > 0 ? [advice] : [])].join('\n'))
}

/** What the bindings of the version of then would break today. */
export function bindingFaults(
  environment: Environment,
  from: Version,
  to: Version,
  databases: Database[],
): string[] {
  const old = new Map(to.bindings.map((binding) => [binding.name, binding]))
  const now = new Map(from.bindings.map((binding) => [binding.name, binding]))
  const bound = new Set(to.bindings.filter(isTenant).map((binding) => targetOf(binding)))
  const cutOff = databases
    .filter(({ name }) => ownsDatabase(environment, name))
    .filter(({ id }) => !bound.has(targetOf({ type: 'd1', name: '', id })))
    .map(({ name }) => name.slice(databaseNameOf(environment.worker, '').length))
  const known = new Set(databases.map(({ id }) => targetOf({ type: 'd1', name: '', id })))
  const removed = to.bindings.filter(isTenant).filter((binding) => !known.has(targetOf(binding)))
  const changed = to.bindings.filter((binding) => {
    const today = now.get(binding.name)
    return (
      !isTenant(binding) &&
      binding.name !== TENANTS_MAX &&
      today &&
      targetOf(today) !== targetOf(binding)
    )
  })
  const secrets = from.bindings.filter(({ type, name }) => type === 'secret_text' && !old.has(name))
  return [
    ...faultOf('It has no binding for tenants, which would be cut off', cutOff),
    ...faultOf('It is bound to tenants that were removed', removed.map(slugOf)),
    ...faultOf(
      'It has other values for bindings',
      changed.map(({ name }) => name),
    ),
    ...faultOf(
      'It lacks secrets',
      secrets.map(({ name }) => name),
    ),
  ]
}

function isTenant({ type, name }: Binding): boolean {
  return type === 'd1' && tenantOfBinding(name) !== null
}

function slugOf({ name }: Binding): string {
  return tenantOfBinding(name) ?? name
}

function faultOf(wrong: string, names: string[]): string[] {
  return names.length > 0 ? [`${wrong}: ${names.toSorted().join(', ')}.`] : []
}

export function objectFaults(from: Version, to: Version): string[] {
  if (from.objects === to.objects) return []
  const [before, now] = [to.objects ?? 'none', from.objects ?? 'none']
  return [
    `A migration of Durable Objects is in the way: it has ${before}, and now there is ${now}.`,
  ]
}

async function migrationFaults(environment: Environment, { tag }: Version): Promise<string[]> {
  if (!tag) return ['It is not said which migrations its code knows: it has no tag.']
  const applied = await inParallel(environment.tenants, (tenant) =>
    newestApplied(environment, tenant),
  )
  const newest = applied.map(numberOf).toSorted().at(-1) ?? ''
  const needs = await Promise.all((await migrationFiles()).map(readNeed))
  return needs
    .filter(({ file, need }) => numberOf(file) <= newest && need && need.of > tag.migration)
    .map(({ file, need }) => `The migration ${file} is in the way: ${need?.why}`)
}

async function readNeed(file: string): Promise<{ file: string; need: Need | null }> {
  return { file, need: needIn(await readFile(join('migrations', file), 'utf8')) }
}

/**
 * Deploys the version. Not by `wrangler rollback`, which goes on where secrets have changed if nobody can be asked:
 * then this throws a Failure.
 */
export async function rollBack(environment: Environment, { from, to }: Rollback): Promise<void> {
  const answer = await callCloudflare(environment, {
    method: 'POST',
    path: `/workers/scripts/${environment.worker}/deployments`,
    body: {
      strategy: 'percentage',
      versions: [{ version_id: to.id, percentage: 100 }],
      annotations: {
        'workers/message': `Rollback from ${from.tag ? shownTag(from.tag) : from.id}`,
      },
    },
  })
  if (answer.success) return
  const isSecret = answer.errors.some(({ code }) => code === SECRETS_CHANGED)
  const why = isSecret
    ? ' Secrets have changed since: set them to what that code expects, or deploy it anew.'
    : ''
  throw new Failure(`Cloudflare refuses the rollback: ${reasonOf(answer)}${why}`)
}
