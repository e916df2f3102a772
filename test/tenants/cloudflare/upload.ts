import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import {
  type Account,
  type Binding,
  type Module,
  type Script,
  servingVersion,
  type Version,
} from './account.ts'
import type { AssetUploads } from './assets.ts'
import { type Call, checked, formOf, Misunderstood, parsed, Refusal } from './call.ts'
import { Migrations, migrated, refuseUnexported } from './durable-objects.ts'

const name = z.string().min(1)
const UploadedBinding = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('plain_text'), name, text: z.string() }),
  z.strictObject({ type: z.literal('secret_text'), name, text: z.string() }),
  z.strictObject({ type: z.literal('json'), name, json: z.unknown() }),
  z.strictObject({ type: z.literal('kv_namespace'), name, namespace_id: z.string() }),
  z.strictObject({ type: z.literal('d1'), name, id: z.string() }),
  z.strictObject({
    type: z.literal('r2_bucket'),
    name,
    bucket_name: z.string(),
    jurisdiction: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('durable_object_namespace'), name, class_name: name }),
  z.strictObject({
    type: z.literal('ratelimit'),
    name,
    namespace_id: z.string().regex(/^[1-9]\d*$/),
    simple: z.strictObject({ limit: z.int().min(1), period: z.literal([10, 60]) }),
  }),
  z.strictObject({ type: z.literal('analytics_engine'), name, dataset: z.string().min(1) }),
  z.strictObject({ type: z.literal('service'), name, service: name }),
  z.strictObject({ type: z.literal('assets'), name }),
  z.strictObject({ type: z.literal('inherit'), name }),
])
export const CodeUpdateStrategy = z.strictObject({
  mode: z.enum(['immediate', 'deferred']),
  max_delay: z.number().optional(),
})
const Metadata = z.strictObject({
  main_module: z.string(),
  bindings: z.array(UploadedBinding),
  // Left out for the Worker that `wrangler secret put` makes when there is none.
  compatibility_date: z.iso.date().optional(),
  compatibility_flags: z.array(z.string()).optional(),
  migrations: Migrations.optional(),
  code_update_strategy: CodeUpdateStrategy.optional(),
  keep_bindings: z.array(z.enum(['plain_text', 'json', 'secret_text', 'secret_key'])).optional(),
  assets: z
    .strictObject({
      jwt: z.string(),
      config: z.strictObject({
        html_handling: z.string().optional(),
        not_found_handling: z.string().optional(),
        run_worker_first: z.union([z.boolean(), z.array(z.string())]).optional(),
        _headers: z.string().optional(),
        _redirects: z.string().optional(),
      }),
    })
    .optional(),
  observability: z.object({ enabled: z.boolean() }).loose().optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  logpush: z.boolean().optional(),
  package_dependencies: z.array(z.unknown()).optional(),
})
type Metadata = z.infer<typeof Metadata>

export interface Upload {
  version: Version
  /** Undefined when the upload says nothing of it. */
  observability: unknown
  /** The Worker's classes, as they are once the upload stands. */
  migrated: ReturnType<typeof migrated>
}

/** Of a Worker's upload form: everything in it is checked, and what it is bound to must exist. */
export async function uploadOf(
  call: Call,
  account: Account,
  script: Script,
  assets: AssetUploads,
): Promise<Upload> {
  const form = await formOf(call)
  const text = form.get('metadata')
  if (typeof text !== 'string') throw new Misunderstood('the form has no metadata')
  const metadata = checked(parsed(text), Metadata)
  const modules = await modulesOf(form, metadata.main_module)
  const after = migrated(script, metadata.migrations)
  refuseUnexported(modules, after.classes)
  const version: Version = {
    id: randomUUID(),
    created_on: new Date().toISOString(),
    modules,
    bindings: bindingsOf(metadata, account, script, after.classes),
    compatibility_date: metadata.compatibility_date ?? '2026-11-01',
    compatibility_flags: metadata.compatibility_flags ?? [],
    assets: await assetsOf(metadata, script.name, assets),
    annotations: annotationsOf(metadata),
    migration_tag: after.migration_tag,
  }
  return { version, observability: metadata.observability, migrated: after }
}

function annotationsOf({ annotations = {} }: Metadata): Record<string, string> {
  return { 'workers/triggered_by': 'upload', ...annotations }
}

async function modulesOf(form: FormData, main: string): Promise<Module[]> {
  const modules: Module[] = []
  for (const [path, part] of form) {
    if (typeof part === 'string' || part.type === 'application/source-map') continue
    const contents = new Uint8Array(await part.arrayBuffer())
    const module = { path, type: part.type, contents }
    if (path === main) modules.unshift(module)
    else modules.push(module)
  }
  const [first] = modules
  if (first?.path !== main || first.type !== 'application/javascript+module') {
    throw new Misunderstood(`no module is called ${main}`)
  }
  return modules
}

function bindingsOf(
  metadata: Metadata,
  account: Account,
  script: Script,
  classes: string[],
): Binding[] {
  const before = servingVersion(script)?.bindings ?? []
  const bindings = metadata.bindings.map((binding) => {
    if (binding.type !== 'inherit') return existing(binding, account, classes)
    const inherited = before.find((known) => known.name === binding.name)
    if (inherited) return inherited
    const message = `inherit binding '${binding.name}' is invalid: there is nothing to inherit`
    throw new Refusal(400, 10057, message)
  })
  const kept = before.filter(
    (known) =>
      metadata.keep_bindings?.some((type) => type === known.type) &&
      bindings.every((binding) => binding.name !== known.name),
  )
  return [...bindings, ...kept]
}

function existing(binding: Binding, account: Account, classes: string[]): Binding {
  if (binding.type === 'd1' && !account.databases.has(binding.id)) {
    const wrong = `binding ${binding.name} of type d1 must have a database that already exists.`
    throw new Refusal(400, 10021, `${wrong} Use wrangler or the UI to create the database.`)
  }
  if (binding.type === 'kv_namespace' && !account.namespaces.has(binding.namespace_id)) {
    throw new Refusal(400, 10041, `KV namespace '${binding.namespace_id}' not found.`)
  }
  if (binding.type === 'r2_bucket') {
    const jurisdiction = account.buckets.get(binding.bucket_name)?.jurisdiction
    if (jurisdiction === undefined || jurisdiction !== (binding.jurisdiction ?? null)) {
      const wrong = `R2 bucket '${binding.bucket_name}' not found.`
      throw new Refusal(400, 10085, `${wrong} Please use a different name and try again.`)
    }
  }
  if (binding.type === 'service' && !account.scripts.has(binding.service)) {
    const wrong = `Could not resolve service binding '${binding.name}'.`
    throw new Refusal(400, 10143, `${wrong} Target script '${binding.service}' not found.`)
  }
  if (binding.type === 'durable_object_namespace' && !classes.includes(binding.class_name)) {
    const wrong = `Cannot create binding for class '${binding.class_name}'`
    const cause = 'because it is not currently configured to implement Durable Objects'
    throw new Refusal(400, 10061, `${wrong} ${cause}.`)
  }
  return binding
}

async function assetsOf(
  { assets }: Metadata,
  script: string,
  uploads: AssetUploads,
): Promise<Version['assets']> {
  if (!assets) return null
  const { _headers, _redirects, ...config } = assets.config
  const more = { ...(_headers && { _headers }), ...(_redirects && { _redirects }) }
  const { run_worker_first, html_handling, not_found_handling } = config
  const directory = await uploads.written(script, assets.jwt, more)
  return { directory, run_worker_first, html_handling, not_found_handling }
}
