import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Failure } from '../failure.ts'
import { type Answer, callCloudflare, reasonOf } from './cloudflare-api.ts'
import type { Binding, Environment } from './environment.ts'
import { numberOf } from './expand-contract.ts'
import { migrationFiles } from './state.ts'

/** Cloudflare's code for a Worker that has never been deployed. */
export const NO_WORKER = 10007
const TAG = /^(\S+)\+(\d{4}[a-z]?)$/

const BindingSchema = z.looseObject({ type: z.string(), name: z.string() })

// Cloudflare goes back to the newest 100 versions (developers.cloudflare.com/changelog/2025-09-11-increased-version-rollback-limit/).
const PAGES_MAX = 20

const Deployments = z.object({
  deployments: z.array(
    z.object({
      id: z.string(),
      created_on: z.string(),
      versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
    }),
  ),
})
type Deployment = z.output<typeof Deployments>['deployments'][number]

const Deployable = z.object({
  items: z.array(z.object({ id: z.string(), metadata: z.object({ created_on: z.string() }) })),
})
const Version = z.object({
  id: z.string(),
  annotations: z.record(z.string(), z.unknown()).nullish(),
  resources: z.object({
    bindings: z.array(BindingSchema),
    script: z.object({ etag: z.string() }),
    script_runtime: z.object({ migration_tag: z.string().nullish() }).nullish(),
  }),
})

/** A version of the Worker as Cloudflare keeps it. */
export interface Version {
  id: string
  /** When it was last deployed; of a version that no deployment names, when it was uploaded. */
  deployed_at: string
  /** The percentage of the requests that it got then. */
  share: number
  /** The same for the same code. */
  code: string
  /** Of the code; null if it was deployed before versions were tagged, or by something else. */
  tag: Tag | null
  bindings: Binding[]
  /** The last migration of Durable Objects; null before the first. */
  objects: string | null
}

export interface Tag {
  /** As `/healthz/` tells it. */
  version: string
  /** The number of the newest migration that the code knows. */
  migration: string
}

/** What a deployment from this folder is tagged with, such as `0.2.0+0017`. */
export async function currentTag(): Promise<Tag> {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  return { version, migration: numberOf((await migrationFiles()).at(-1) ?? '0000') }
}

export function shownTag({ version, migration }: Tag): string {
  return `${version}+${migration}`
}

/**
 * The versions that were deployed, the one that serves first, each once. Reads no further than the consumer. Of a
 * deployment of two versions it gives the one with more of the requests.
 */
export async function* deployedVersions(environment: Environment): AsyncGenerator<Version> {
  const seen = new Set<string>()
  for await (const { created_on, versions } of deployments(environment)) {
    const [most] = versions.toSorted((a, b) => b.percentage - a.percentage)
    if (!most || seen.has(most.version_id)) continue
    seen.add(most.version_id)
    yield await readVersion(environment, most.version_id, created_on, most.percentage)
  }
}

/** The newest first. Cloudflare lists the newest ten; `until` asks for those before. */
async function* deployments(environment: Environment): AsyncGenerator<Deployment> {
  const seen = new Set<string>()
  let until: string | null = null
  for (let page = 0; page < PAGES_MAX; page++) {
    const query: string = until === null ? '' : `?${new URLSearchParams({ until })}`
    const listed = await call(environment, `/deployments${query}`)
    if (listed.errors.some(({ code }) => code === NO_WORKER)) return
    const fresh = Deployments.parse(resultIn(listed))
      .deployments.filter(({ id }) => !seen.has(id))
      .toSorted((a, b) => b.created_on.localeCompare(a.created_on))
    const oldest = fresh.at(-1)
    if (!oldest) return
    for (const deployment of fresh) seen.add(deployment.id)
    yield* fresh
    until = oldest.created_on
  }
}

/** The version with that id, also one that no deployment names any more; null if it cannot be deployed. */
export async function deployableVersion(
  environment: Environment,
  id: string,
): Promise<Version | null> {
  const listed = await call(environment, '/versions?deployable=true')
  if (listed.errors.some(({ code }) => code === NO_WORKER)) return null
  const { items } = Deployable.parse(resultIn(listed))
  const found = items.find((each) => each.id === id)
  return found ? await readVersion(environment, id, found.metadata.created_on, 0) : null
}

/**
 * The version that serves; null before the first deployment. A changed secret makes a version without a tag: then it has
 * the tag of the same code.
 */
export async function servingVersion(environment: Environment): Promise<Version | null> {
  let serving: Version | null = null
  for await (const version of deployedVersions(environment)) {
    serving ??= version
    if (version.code !== serving.code) break
    if (version.tag) return { ...serving, tag: version.tag }
  }
  return serving
}

async function readVersion(
  environment: Environment,
  version_id: string,
  deployed_at: string,
  share: number,
): Promise<Version> {
  const answer = await call(environment, `/versions/${version_id}`)
  const { id, annotations, resources } = Version.parse(resultIn(answer))
  return {
    id,
    deployed_at,
    share,
    code: resources.script.etag,
    tag: tagIn(annotations?.['workers/tag']),
    bindings: resources.bindings,
    objects: resources.script_runtime?.migration_tag ?? null,
  }
}

function tagIn(text: unknown): Tag | null {
  const [, version, migration] = (typeof text === 'string' && TAG.exec(text)) || []
  return version !== undefined && migration !== undefined ? { version, migration } : null
}

/** What the binding leads to, to compare two of the same name; a secret is never told. */
export function targetOf(binding: Binding): string {
  const { type } = binding
  const of = (...names: string[]) =>
    names.map((name) => binding[name]).find((value) => value) ?? null
  const parts: Record<string, unknown[]> = {
    d1: [of('id', 'database_id')],
    kv_namespace: [of('namespace_id')],
    r2_bucket: [of('bucket_name'), of('jurisdiction')],
    durable_object_namespace: [of('class_name')],
    ratelimit: [of('namespace_id'), of('simple')],
    analytics_engine: [of('dataset')],
    plain_text: [of('text')],
    json: [of('json')],
  }
  return JSON.stringify([type, ...(parts[type] ?? [])])
}

function call(environment: Environment, path: string): Promise<Answer> {
  return callCloudflare(environment, {
    method: 'GET',
    path: `/workers/scripts/${environment.worker}${path}`,
  })
}

function resultIn(answer: Answer): unknown {
  if (answer.success) return answer.result
  throw new Failure(`The Worker's versions cannot be read: ${reasonOf(answer)}`)
}
