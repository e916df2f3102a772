import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { type Account, type Binding, type Script, servingVersion, type Version } from './account.ts'
import type { AssetUploads } from './assets.ts'
import {
  type Call,
  type Endpoint,
  endpoint,
  jsonOf,
  Misunderstood,
  Refusal,
  success,
} from './call.ts'
import { CodeUpdateStrategy, uploadOf } from './upload.ts'

const Deployment = z.strictObject({
  strategy: z.literal('percentage'),
  versions: z.tuple([z.strictObject({ version_id: z.uuid(), percentage: z.literal(100) })]),
  annotations: z.record(z.string(), z.string()).optional(),
  code_update_strategy: CodeUpdateStrategy.optional(),
})
const Settings = z.strictObject({
  observability: z.object({ enabled: z.boolean() }).loose().optional(),
  tags: z.array(z.string()).optional(),
  logpush: z.boolean().optional(),
})
const Secret = z.strictObject({
  name: z.string().min(1),
  text: z.string().min(1),
  type: z.literal('secret_text'),
})

const Secrets = z.strictObject({ secrets: z.record(z.string().min(1), Secret) })

// test/tenants/rollback-far.deep.test.ts has the pages that document these.
const LISTED_MAX = 10
const DEPLOYABLE_MAX = 100

const SCRIPT = '/accounts/:account/workers/scripts/:script'

/** Workers: uploaded, deployed, described; and their secrets. */
export function scriptEndpoints(account: Account, assets: AssetUploads): Endpoint[] {
  return [
    ...uploadEndpoints(account, assets),
    ...readEndpoints(account),
    ...secretEndpoints(account),
  ]
}

export function scriptOf(account: Account, call: Call): Script {
  const script = account.scripts.get(call.params.script ?? '')
  if (!script) throw new Refusal(404, 10007, 'This Worker does not exist on your account.')
  return script
}

function uploadEndpoints(account: Account, assets: AssetUploads): Endpoint[] {
  return [
    endpoint('script.put', 'PUT', SCRIPT, async (call) => {
      const name = call.params.script ?? ''
      if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) throw new Misunderstood(`a Worker "${name}"`)
      const script = account.scripts.get(name) ?? newScript(name)
      const { version, observability, migrated } = await uploadOf(call, account, script, assets)
      account.scripts.set(name, script)
      Object.assign(script, migrated)
      script.observability = observability ?? { enabled: false }
      script.versions.push(version)
      deploy(script, version)
      return success({ ...summary(script), deployment_id: version.id.replaceAll('-', '') })
    }),
    endpoint('version.create', 'POST', `${SCRIPT}/versions`, async (call) => {
      const script = scriptOf(account, call)
      const { version, migrated } = await uploadOf(call, account, script, assets)
      if (migrated.migration_tag !== script.migration_tag) {
        throw new Misunderstood('a version alone migrates no Durable Objects')
      }
      script.versions.push(version)
      return success({
        id: version.id,
        number: script.versions.length,
        resources: resourcesOf(version),
        startup_time_ms: 1,
      })
    }),
    endpoint('deployment.create', 'POST', `${SCRIPT}/deployments`, (call) => {
      const script = scriptOf(account, call)
      const { versions } = jsonOf(call, Deployment)
      const version = script.versions.find(({ id }) => id === versions[0].version_id)
      if (!version) throw new Misunderstood('the Worker has no such version')
      if (version.migration_tag !== script.migration_tag) {
        throw new Misunderstood('a version from before a migration of Durable Objects')
      }
      if (call.query.get('force') !== 'true') refuseChangedSecrets(script, version)
      return success(described(deploy(script, version)))
    }),
    endpoint('script.settings', 'PATCH', `${SCRIPT}/script-settings`, (call) => {
      const script = scriptOf(account, call)
      const { observability = script.observability, tags } = jsonOf(call, Settings)
      script.observability = observability
      script.tags = tags ?? script.tags
      return success({ observability, tags: script.tags, logpush: false })
    }),
  ]
}

function readEndpoints(account: Account): Endpoint[] {
  return [
    endpoint('service.get', 'GET', '/accounts/:account/workers/services/:script', (call) => {
      const script = account.scripts.get(call.params.script ?? '')
      if (!script) throw new Refusal(404, 10090, 'This Worker does not exist on your account.')
      const environment = { environment: 'production', script: summary(script) }
      return success({ id: script.name, default_environment: environment, environments: [] })
    }),
    endpoint('deployment.list', 'GET', `${SCRIPT}/deployments`, (call) =>
      success({ deployments: listed(account, call).map(described) }),
    ),
    endpoint('version.list', 'GET', `${SCRIPT}/versions`, (call) => {
      const { versions } = scriptOf(account, call)
      const items = versions.map((version, at) => itemOf(version, at + 1)).reverse()
      if (call.query.get('deployable') === 'true') {
        return success({ items: items.slice(0, DEPLOYABLE_MAX) })
      }
      const [page, perPage] = [call.query.get('page') ?? 1, call.query.get('per_page') ?? 10]
      const start = (Number(page) - 1) * Number(perPage)
      return success({ items: items.slice(start, start + Number(perPage)) })
    }),
    endpoint('version.get', 'GET', `${SCRIPT}/versions/:version`, (call) => {
      const script = scriptOf(account, call)
      const version = script.versions.find(({ id }) => id === call.params.version)
      if (!version) throw new Refusal(404, 10007, 'This version does not exist.')
      const item = itemOf(version, script.versions.indexOf(version) + 1)
      return success({ ...item, resources: resourcesOf(version) })
    }),
    endpoint('settings.get', 'GET', `${SCRIPT}/settings`, (call) => {
      const script = scriptOf(account, call)
      const {
        compatibility_date,
        compatibility_flags,
        bindings = [],
      } = servingVersion(script) ?? {}
      const { observability, tags } = script
      return success({
        bindings: shown(bindings),
        compatibility_date,
        compatibility_flags,
        observability,
        tags,
      })
    }),
  ]
}

/** The newest first, ten at most. A list that lags does not have the last one yet. */
function listed(account: Account, call: Call): Script['deployments'] {
  const script = scriptOf(account, call)
  const until = call.query.get('until')
  const known = account.lags ? script.deployments.slice(0, -1) : script.deployments
  const before = until === null ? known : known.filter(({ created_on }) => created_on <= until)
  return before.toReversed().slice(0, LISTED_MAX)
}

function itemOf({ id, created_on, annotations }: Version, number: number) {
  return { id, number, metadata: { created_on, source: 'wrangler' }, annotations }
}

function secretEndpoints(account: Account): Endpoint[] {
  return [
    endpoint('secret.list', 'GET', `${SCRIPT}/secrets`, (call) => {
      const { bindings = [] } = servingVersion(scriptOf(account, call)) ?? {}
      return success(shown(bindings.filter(({ type }) => type === 'secret_text')))
    }),
    endpoint('secret.put', 'PUT', `${SCRIPT}/secrets`, (call) => {
      const secret = jsonOf(call, Secret)
      putSecrets(scriptOf(account, call), [secret])
      return success(shown([secret])[0])
    }),
    endpoint('secret.bulk', 'PATCH', `${SCRIPT}/secrets-bulk`, (call) => {
      const patch = jsonOf(call, Secrets, 'application/merge-patch+json')
      const secrets = Object.values(patch.secrets)
      putSecrets(scriptOf(account, call), secrets)
      return success(shown(secrets))
    }),
  ]
}

/** Makes one version with the code that serves. */
function putSecrets(script: Script, secrets: Binding[]): void {
  const before = servingVersion(script)
  if (!before || before !== script.versions.at(-1)) {
    throw new Refusal(400, 10215, 'The latest version is not deployed.')
  }
  const others = before.bindings.filter(({ name }) => secrets.every((each) => each.name !== name))
  const bindings = [...others, ...secrets]
  const annotations = { 'workers/triggered_by': 'secret' }
  const version = { ...before, id: randomUUID(), bindings, annotations }
  script.versions.push(version)
  deploy(script, version)
}

function newScript(name: string): Script {
  return {
    name,
    tag: randomUUID().replaceAll('-', ''),
    tags: [],
    migration_tag: null,
    classes: [],
    versions: [],
    deployments: [],
    routes: [],
    crons: [],
    subdomain: { enabled: false, previews_enabled: false },
    observability: { enabled: false },
  }
}

function deploy(script: Script, version: Version): Script['deployments'][number] {
  const deployment = { id: randomUUID(), created_on: new Date().toISOString(), version }
  script.deployments.push(deployment)
  return deployment
}

/** A rollback over them wants `force`. */
function refuseChangedSecrets(script: Script, version: Version): void {
  const secretsOf = ({ bindings }: Version) =>
    new Map(
      bindings.flatMap((each) => (each.type === 'secret_text' ? [[each.name, each.text]] : [])),
    )
  const serving = servingVersion(script)
  const [now, then] = [serving ? secretsOf(serving) : new Map(), secretsOf(version)]
  const changed = [...new Set([...now.keys(), ...then.keys()])].filter(
    (name) => now.get(name) !== then.get(name),
  )
  if (changed.length === 0) return
  const names = changed.join(', ')
  throw new Refusal(400, 10220, `The following secrets have changed: ${names}`)
}

function resourcesOf(version: Version) {
  const { modules, bindings, compatibility_date, compatibility_flags, migration_tag } = version
  const hash = createHash('sha256')
  for (const { path, contents } of modules) hash.update(path).update(contents)
  return {
    script: { etag: hash.digest('hex'), handlers: ['fetch'], last_deployed_from: 'wrangler' },
    script_runtime: {
      compatibility_date,
      compatibility_flags,
      usage_model: 'standard',
      ...(migration_tag !== null && { migration_tag }),
    },
    bindings: shown(bindings),
  }
}

function described({ id, created_on, version }: Script['deployments'][number]) {
  const versions = [{ version_id: version.id, percentage: 100 }]
  return { id, created_on, source: 'wrangler', strategy: 'percentage', versions }
}

function summary(script: Script) {
  const { name, tag, tags, migration_tag } = script
  const version = servingVersion(script)
  return {
    id: name,
    tag,
    tags,
    ...(migration_tag !== null && { migration_tag }),
    etag: version?.id ?? null,
    handlers: ['fetch'],
    created_on: version?.created_on ?? null,
    last_deployed_from: 'wrangler',
    startup_time_ms: 1,
  }
}

/** As the API shows them: a secret is never told. */
function shown(bindings: Binding[]): object[] {
  return bindings.map((binding) =>
    binding.type === 'secret_text' ? { name: binding.name, type: binding.type } : binding,
  )
}
