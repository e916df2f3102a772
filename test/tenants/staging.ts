import { join } from 'node:path'
import { expect, it as plainIt } from 'vitest'
import { insertKey } from '../../scripts/tenant/rows.ts'
import { bindingNameOf } from '../../src/engine/identity/binding.ts'
import { mintKey } from '../../src/engine/identity/key.ts'
import { type Finished, type Project, startProject } from '../fixtures/project.ts'
import type { Statement } from './cloudflare/runtime.ts'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { type Contents, contentsOf } from './contents.ts'
import { newTenantSql } from './new-tenant.ts'

/** Everything a test of the environment staging works on; nothing of it is another test's. */
export interface Staging {
  cloudflare: Cloudflare
  project: Project
  /**
   * Adds tenants as `create` leaves them, but neither by way of wrangler, which takes ten seconds
   * for each, nor deployed. Gives their settings keys, in order.
   */
  add: (...slugs: string[]) => Promise<string[]>
  /** `npm run tenant -- <args> --env staging`. */
  tenant: (...args: string[]) => Promise<Finished>
  /** `npm run deploy -- <args>`. */
  deploy: (...args: string[]) => Promise<Finished>
  /** `wrangler <args>`, past the program. */
  wrangler: (args: string[], input?: string) => Promise<Finished>
  /** Rows of a tenant's database. */
  query: (slug: string, sql: string) => Promise<Record<string, unknown>[]>
  /** All rows of a tenant's database. */
  contents: (slug: string) => Promise<Contents>
  /** Writes to a tenant's database, all or nothing. */
  write: (slug: string, statements: Statement[]) => Promise<void>
  /** A visit of the tenant's host; `path` with its slash. */
  visit: (slug: string, path: string, init?: RequestInit) => Promise<Response>
  /** The tenant whose database a call is about. */
  slugOf: (call: Cloudflare['calls'][number]) => string | undefined
}

export const it = plainIt.extend<{ staging: Staging }>({
  staging: async ({ task: _ }, use) => {
    const [cloudflare, project] = await Promise.all([startCloudflare(), startProject()])
    try {
      await use(stagingOf(cloudflare, project))
      expect(cloudflare.unexpected).toEqual([])
    } finally {
      await Promise.all([cloudflare.close(), project.remove()])
    }
  },
})

function stagingOf(cloudflare: Cloudflare, project: Project): Staging {
  const { env } = cloudflare
  const run = (...args: string[]) =>
    project.run(['--disable-warning=ExperimentalWarning', 'scripts/crossdock.ts', ...args], env)
  const nameOf = (slug: string) => `crossdock-staging-${slug}`
  return {
    cloudflare,
    project,
    add: async (...slugs) => {
      const keys = []
      for (const slug of slugs) keys.push(await addTenant(cloudflare, project, slug, nameOf(slug)))
      return keys
    },
    tenant: (...args) => run('tenant', ...args, '--env', 'staging'),
    deploy: (...args) => run('deploy', ...args),
    wrangler: (args, input) => project.wrangler(args, env, input),
    query: (slug, sql) => cloudflare.query(nameOf(slug), sql),
    contents: (slug) => contentsOf((sql) => cloudflare.query(nameOf(slug), sql)),
    write: (slug, statements) => cloudflare.write(nameOf(slug), statements),
    visit: (slug, path, init) =>
      cloudflare.fetch(`https://${slug}.staging.crossdock.example${path}`, init),
    slugOf: ({ params }) =>
      cloudflare
        .databases()
        .find(({ id }) => id === params.database)
        ?.name.slice(nameOf('').length),
  }
}

async function addTenant(cloudflare: Cloudflare, project: Project, slug: string, name: string) {
  const id = cloudflare.create(name)
  await cloudflare.query(name, await newTenantSql(slug, join(project.folder, 'migrations')))
  const key = await mintKey(slug)
  await cloudflare.query(
    name,
    insertKey(key, 'First settings key', ['settings.*', 'integrations.*']),
  )
  const block = `
[[env.staging.d1_databases]]
binding = "${bindingNameOf(slug)}"
database_name = "${name}"
database_id = "${id}"
migrations_dir = "migrations"
`
  await project.write('wrangler.toml', (await project.read('wrangler.toml')) + block)
  return key.value
}
