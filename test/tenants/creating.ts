import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Project, startProject } from '../fixtures/project.ts'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { tenant } from './operator.ts'

type Call = Cloudflare['calls'][number]

export let cloudflare: Cloudflare

export let project: Project

beforeAll(async () => {
  ;[cloudflare, project] = await Promise.all([startCloudflare(), startProject()])
})

afterEach(() => {
  expect(cloudflare.unexpected).toEqual([])
  cloudflare.recover()
})

afterAll(() => Promise.all([cloudflare.close(), project.remove()]))

export const run = (args: string[], env = {}) =>
  tenant(project, [...args, '--env', 'staging'], { ...cloudflare.env, ...env })

/** `npm run deploy -- --env staging`. */
export const deploy = () =>
  project.run(
    ['--disable-warning=ExperimentalWarning', 'scripts/crossdock.ts', 'deploy', '--env', 'staging'],
    cloudflare.env,
  )

export const create = (slug: string, ...options: string[]) => run(['create', slug, ...options])

export const toml = () => project.read('wrangler.toml')

export async function workspaceOf(slug: string, key: string) {
  const url = `https://${slug}.staging.crossdock.example/api/settings/v1/workspace/`
  return await (await cloudflare.fetch(url, { headers: { 'X-API-Key': key } })).json()
}

export async function expectMade(slug: string, settingsKey: string, otherKeys: string[] = []) {
  const name = `crossdock-staging-${slug}`
  const [database, ...others] = cloudflare.databases().filter((known) => known.name === name)
  expect(others).toEqual([])
  expect((await toml()).split(`database_name = "${name}"`)).toHaveLength(2)
  expect(await toml()).toContain(`database_id = "${database?.id}"`)
  const keys = await cloudflare.query(name, 'SELECT name, scopes FROM api_keys ORDER BY name')
  const scopes = '["settings.*","integrations.*"]'
  expect(keys).toEqual(['First settings key', ...otherKeys].map((key) => ({ name: key, scopes })))
  expect(await workspaceOf(slug, settingsKey)).toMatchObject({ data: { tenant: slug } })
}

export interface Step {
  kind: string
  /** What a Worker's first deployment calls instead. */
  first?: string
  /** What the body of the call has in it. */
  having?: string
}

export const MIGRATION = { kind: 'd1.query', having: 'CREATE TABLE workspace' }

export const WORKSPACE = { kind: 'd1.query', having: 'INSERT INTO workspace' }

export const MADE = { kind: 'd1.query', having: 'UPDATE api_keys SET name' }

export function fail({ kind, having }: Step, when: 'before' | 'after') {
  const where = having ? { where: ({ body }: Call) => JSON.stringify(body).includes(having) } : {}
  return cloudflare.fail(kind, { when, ...where })
}

export async function expectFailed(slug: string, at: Step, when: 'before' | 'after') {
  const outages = [fail(at, when), ...(at.first ? [fail({ kind: at.first }, when)] : [])]
  const { code, stderr } = await create(slug)
  const hits = outages.reduce((sum, outage) => sum + outage.hits, 0)
  expect(hits, `${at.kind}: ${stderr}`).toBeGreaterThan(0)
  expect(code, at.kind).toBe(1)
  expect(stderr).not.toContain('xd_')
  for (const outage of outages) await outage.end()
}
