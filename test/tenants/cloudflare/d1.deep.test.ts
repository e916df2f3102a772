import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Project, startProject } from '../../fixtures/project.ts'
import { type Cloudflare, startCloudflare } from '../cloudflare.ts'

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

const wrangler = (...args: string[]) => project.wrangler(args, cloudflare.env)

async function execute(name: string, sql: string) {
  const options = ['--remote', '--json', '--command', sql]
  const { code, stdout } = await wrangler('d1', 'execute', name, ...options)
  return { code, answer: JSON.parse(stdout) }
}

describe('wrangler whoami', () => {
  it('names the account of the token', async () => {
    const { stdout } = await wrangler('whoami', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      loggedIn: true,
      accounts: [{ id: cloudflare.env.CLOUDFLARE_ACCOUNT_ID, name: 'Crossdock' }],
    })
  })

  it('fails with a token that is refused', async () => {
    cloudflare.signedOut = true
    const { code, stderr } = await wrangler('whoami', '--json')
    expect(code).toBe(1)
    expect(stderr).toContain('Invalid access token [code: 9109]')
  })
})

describe.concurrent('wrangler d1 create', () => {
  it('makes an empty database in the jurisdiction', async () => {
    const { code, stdout } = await wrangler('d1', 'create', 'in-europe', '--jurisdiction', 'eu')
    expect(code).toBe(0)
    const known = cloudflare.databases().find(({ name }) => name === 'in-europe')
    expect(known).toMatchObject({ jurisdiction: 'eu', location: null })
    expect(stdout).toContain(`database_id = "${known?.id}"`)
    const info = await wrangler('d1', 'info', 'in-europe', '--json')
    expect(JSON.parse(info.stdout)).toMatchObject({ uuid: known?.id, num_tables: 0 })
  })

  it('refuses a name that is taken', async () => {
    cloudflare.create('taken')
    const { code, stderr } = await wrangler('d1', 'create', 'taken', '--location', 'weur')
    expect(code).toBe(1)
    expect(stderr).toContain('A database with that name already exists')
  })

  it('is refused to another token and in another account', async () => {
    const strange = { CLOUDFLARE_API_TOKEN: 'x'.repeat(40) }
    const foreign = { CLOUDFLARE_ACCOUNT_ID: 'f'.repeat(32) }
    const args = ['d1', 'create', 'nobodys']
    const [token, account] = await Promise.all([
      project.wrangler(args, { ...cloudflare.env, ...strange }),
      project.wrangler(args, { ...cloudflare.env, ...foreign }),
    ])
    expect(token).toMatchObject({ code: 1, stderr: expect.stringContaining('[code: 10000]') })
    expect(account).toMatchObject({ code: 1, stderr: expect.stringContaining('[code: 7403]') })
    expect(cloudflare.databases().map(({ name }) => name)).not.toContain('nobodys')
  })
})

describe.concurrent('wrangler d1 list', () => {
  it('goes through all pages', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `of-many-${index}`)
    for (const name of names) cloudflare.create(name)
    const { stdout } = await wrangler('d1', 'list', '--json')
    const listed = JSON.parse(stdout).map(({ name }: { name: string }) => name)
    expect(listed).toEqual(expect.arrayContaining(names))
  })
})

describe.concurrent('wrangler d1 execute --command', () => {
  it('runs all statements or none', async () => {
    cloudflare.create('atomic')
    const { answer } = await execute(
      'atomic',
      "create table t (a); insert into t values (1), ('b;c'); select * from t",
    )
    expect(answer.at(-1).results).toEqual([{ a: 1 }, { a: 'b;c' }])
    const failed = await execute('atomic', 'delete from t; insert into nowhere values (1)')
    expect(failed.code).toBe(1)
    expect(failed.answer.error.notes).toEqual([
      { text: 'no such table: nowhere: SQLITE_ERROR [code: 7500]' },
    ])
    expect(await cloudflare.query('atomic', 'select count(*) as n from t')).toEqual([{ n: 2 }])
  })

  it('finds no database that was deleted', async () => {
    cloudflare.create('short-lived')
    expect(await wrangler('d1', 'delete', 'short-lived', '-y')).toMatchObject({ code: 0 })
    expect(await execute('short-lived', 'select 1')).toMatchObject({ code: 1 })
  })
})

describe.concurrent('wrangler d1 migrations', () => {
  it('applies what is missing', async () => {
    const id = cloudflare.create('migrated')
    await project.write(
      'migrated.toml',
      `name = "migrated"
compatibility_date = "2026-11-01"
[[d1_databases]]
binding = "DB"
database_name = "migrated"
database_id = "${id}"
migrations_dir = "migrations"`,
    )
    const config = ['--remote', '--config', 'migrated.toml']
    const applied = await wrangler('d1', 'migrations', 'apply', 'DB', ...config)
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('✅') })
    const names = await cloudflare.query('migrated', 'select name from d1_migrations')
    const files = await readdir(join(project.folder, 'migrations'))
    expect(names).toEqual(files.toSorted().map((name) => ({ name })))
    const list = await wrangler('d1', 'migrations', 'list', 'DB', ...config)
    expect(list.stdout).toContain('No migrations to apply!')
  })
})

describe.concurrent('wrangler d1 export and execute --file', () => {
  it('carries a database into another', async () => {
    cloudflare.create('moved-from')
    cloudflare.create('moved-to')
    await cloudflare.query('moved-from', 'create table t (a integer primary key, b text)')
    await cloudflare.query('moved-from', "insert into t values (1, 'it''s\na;b'), (7, null)")
    await wrangler('d1', 'export', 'moved-from', '--remote', '--output', 'moved.sql', '-y')
    const file = ['--remote', '--file', 'moved.sql', '-y']
    expect(await wrangler('d1', 'execute', 'moved-to', ...file)).toMatchObject({ code: 0 })
    const rows = await cloudflare.query('moved-to', 'select * from t')
    expect(rows).toEqual([
      { a: 1, b: "it's\na;b" },
      { a: 7, b: null },
    ])
  })

  it('takes in a file of one statement', async () => {
    cloudflare.create('single')
    await project.write('single.sql', 'create table t (a);\n')
    const file = ['--remote', '--file', 'single.sql', '-y']
    expect(await wrangler('d1', 'execute', 'single', ...file)).toMatchObject({ code: 0 })
    expect(await cloudflare.query('single', 'select * from t')).toEqual([])
  })

  it('leaves the database as it was when the file is wrong', async () => {
    cloudflare.create('imported')
    await cloudflare.query('imported', 'create table t (a integer primary key)')
    await project.write('wrong.sql', 'insert into t values (1);\ninsert into t values (1);\n')
    const file = ['--remote', '--file', 'wrong.sql', '-y']
    const { code, stderr } = await wrangler('d1', 'execute', 'imported', ...file)
    expect(code).toBe(1)
    expect(stderr).toContain('UNIQUE constraint failed: t.a')
    expect(await cloudflare.query('imported', 'select * from t')).toEqual([])
  })
})

describe.concurrent('wrangler d1 time-travel info', () => {
  it('names a bookmark that moves on with every write', async () => {
    cloudflare.create('travelled')
    const bookmark = async () => {
      const { stdout } = await wrangler('d1', 'time-travel', 'info', 'travelled', '--json')
      return JSON.parse(stdout).bookmark as string
    }
    const first = await bookmark()
    await cloudflare.query('travelled', 'create table t (a)')
    expect((await bookmark()) > first).toBe(true)
  })
})

describe('a failure on demand', () => {
  it('before the work leaves nothing behind', async () => {
    const outage = cloudflare.fail('d1.create', { when: 'before' })
    const { code, stderr } = await wrangler('d1', 'create', 'unborn')
    expect({ code, hits: outage.hits }).toEqual({ code: 1, hits: 1 })
    expect(stderr).toContain('[code: 10013]')
    expect(cloudflare.databases().map(({ name }) => name)).not.toContain('unborn')
  })

  it('after the work loses only the answer', async () => {
    cloudflare.fail('d1.create', { when: 'after', as: 'cut' })
    expect(await wrangler('d1', 'create', 'unheard')).toMatchObject({ code: 1 })
    expect(cloudflare.databases().map(({ name }) => name)).toContain('unheard')
    cloudflare.recover()
    const { stderr } = await wrangler('d1', 'create', 'unheard')
    expect(stderr).toContain('A database with that name already exists')
  })

  it('hits the call that it is meant for', async () => {
    cloudflare.create('singled-out')
    const where = ({ body }: { body: unknown }) => JSON.stringify(body).includes('two')
    cloudflare.fail('d1.query', { when: 'before', where })
    expect(await execute('singled-out', 'create table one (a)')).toMatchObject({ code: 0 })
    expect(await execute('singled-out', 'create table two (a)')).toMatchObject({ code: 1 })
  })

  it('is of a kind that there is', () => {
    expect(() => cloudflare.fail('d1.crate', { when: 'before' })).toThrow('d1.crate')
  })
})
