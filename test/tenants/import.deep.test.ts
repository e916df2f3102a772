import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect } from 'vitest'
import type { Project } from '../fixtures/project.ts'
import { type Contents, contentsOf, expectMoved } from './contents.ts'
import { fileOf, kindsOf } from './moving.ts'
import { resultOf, tenant } from './operator.ts'
import { it } from './staging.ts'

describe.concurrent('npm run tenant -- import', () => {
  it('asks Cloudflare nothing where the file is not fit', async ({ staging }) => {
    const { project } = staging
    await fileOf(project, 'acme', 1)
    const whole = await project.read('acme.sql')
    await project.write('cut.sql', whole.slice(0, whole.length / 2))
    await project.write('short.sql', whole.slice(0, whole.lastIndexOf('CREATE TRIGGER')))
    const toml = await project.read('wrangler.toml')
    const unfit = [
      [
        'beta',
        'acme.sql',
        'acme.sql holds the tenant acme, whose keys contain its slug: import it as acme.',
      ],
      ['acme', 'cut.sql', 'cut.sql is not an export of a tenant: '],
      ['acme', 'short.sql', 'The export is not complete: it lacks the trigger '],
    ] as const
    for (const [slug, file, reason] of unfit) {
      const { code, stderr } = await staging.tenant('import', slug, file)
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) })
      expect(stderr).not.toContain('    at ')
    }
    expect(await project.read('wrangler.toml')).toBe(toml)
    expect(kindsOf(staging)).toEqual([])
  })

  it('brings a tenant to this machine', async ({ staging: { project } }) => {
    const { contents } = await fileOf(project, 'home', 10)
    const { tables } = resultOf(await tenant(project, ['import', 'home', 'home.sql', '--json']))
    expect(tables.orders).toBe(contents.orders?.length)
    expectMoved(contents, await contentsHere(project, 'home'))
  })
})

/** What D1 holds of a tenant on this machine. */
async function contentsHere(project: Project, slug: string): Promise<Contents> {
  const folder = join(project.folder, '.wrangler/state/v3/d1/miniflare-D1DatabaseObject')
  for (const name of await readdir(folder)) {
    if (!/^[0-9a-f]+\.sqlite$/.test(name)) continue
    const db = new DatabaseSync(join(folder, name))
    const contents = await contentsOf((sql) => db.prepare(sql).all())
    if (contents.workspace?.[0]?.includes(`"tenant":"${slug}"`)) return contents
  }
  throw new Error(`${slug} is not on this machine.`)
}
