import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { type Contents, contentsOf, differencesBetween } from './contents.ts'
import { fill, fillHard } from './fill.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'

const STAGING = 'https://acme.staging.crossdock.example'
const PRODUCTION = 'https://acme.crossdock.example'

let cloudflare: Cloudflare
let project: Project

beforeAll(async () => {
  ;[cloudflare, project] = await Promise.all([startCloudflare(), startProject()])
})
afterEach(() => {
  expect(cloudflare.unexpected).toEqual([])
  cloudflare.recover()
})
afterAll(() => Promise.all([cloudflare.close(), project.remove()]))

const run = async (args: string[]) => {
  const t = performance.now()
  const r = await tenant(project, args, cloudflare.env)
  console.log(args.join(' '), r.stderr, performance.now() - t)
  return resultOf(r)
}

async function call(origin: string, key: string, method: string, path: string, body?: object) {
  const url = origin + (path.startsWith('/api/') ? path : `/api/integrations/v1${path}`)
  const answer = await cloudflare.fetch(url, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

const contentsIn = (name: string) => contentsOf((sql) => cloudflare.query(name, sql))

describe('a tenant with 10,000 orders', () => {
  it('is the same after export, removal and import into another environment', async () => {
    const { settings_key } = await run(['create', 'acme', '--env', 'staging', '--json'])
    const staging = 'crossdock-staging-acme'
    let t = performance.now()
    const lap = (w: string) => { console.log(w, performance.now() - t); t = performance.now() }
    await fill((sql, params) => cloudflare.query(staging, sql, params), 10_000)
    lap('fill')
    await fillHard((sql, params) => cloudflare.query(staging, sql, params))
    lap('fillHard')
    const before = await contentsIn(staging)
    lap('contents')
    await run(['export', 'acme', 'acme.sql', '--env', 'staging', '--json'])
    t = performance.now()
    const db = new DatabaseSync(':memory:')
    db.exec(await project.read('acme.sql'))
    const exported = await contentsOf((sql) => db.prepare(sql).all())
    expect(differencesBetween(before, exported)).toEqual([])
    lap('compare')
    await run(['remove', 'acme', '--confirm', 'acme', '--export', 'moved.sql', '--env', 'staging', '--json'])
    await run(['import', 'acme', 'moved.sql', '--env', 'production', '--json'])
    t = performance.now()
    const after = await contentsIn('crossdock-production-acme')
    expect(differencesBetween(before, after)).toEqual([])
    lap('compare')
    await call(PRODUCTION, settings_key, 'GET', '/orders/')
    await run(['import', 'acme', 'moved.sql', '--json'])
  }, 200_000)
})
