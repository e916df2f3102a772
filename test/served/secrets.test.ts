import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { hintOf, mintKey } from '../../src/engine/identity/key.ts'
import { lookInFiles } from '../fixtures/secrets/files.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'
import { startServer } from '../fixtures/server.ts'

// What this file leaks is forgotten again, or its end would be a failure like any other file's.

describe('what a test file in Node lets out', () => {
  it('has answers, and what the server has stored and logged when it is stopped', async () => {
    const served = await startServer()
    const key = await served.createKey(['integrations.*'])
    const { value } = await mintKey('demo')
    const url = `${served.origin}/api/integrations/v1/products/`
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ sku: 'S', custom_fields: { note: value } })
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201)
    const hint = hintOf(value)
    expect(outgoing.take()).toEqual([`the answer to POST /api/integrations/v1/products/: ${hint}`])
    // Without its beginning it is not known to be one, and the log has the path as it is.
    await fetch(`${url}${value.slice('xd_demo_'.length)}/`)
    await served.close()
    expect(outgoing.take()).toEqual([
      `DB_DEMO, products.custom_fields: ${hint}`,
      `the log of the Worker: ${hint}`,
    ])
  })

  it("has files and databases, and the demo's own keys in their place only", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'files-'))
    try {
      const { value, hash, hint } = await mintKey('demo')
      await mkdir(join(folder, '.wrangler'))
      const demo = { settings_key: value, key: value, partner_key: null }
      await writeFile(join(folder, '.wrangler/demo.json'), JSON.stringify(demo))
      const db = new DatabaseSync(join(folder, 'tenant.sqlite'))
      db.exec(`create table keys (hash, hint); insert into keys values ('${hash}', '${hint}')`)
      await lookInFiles(outgoing, folder)
      expect(outgoing.take()).toEqual([])
      db.exec(`insert into keys values ('${value}', null)`)
      db.close()
      await writeFile(join(folder, '.wrangler/demo.json'), JSON.stringify({ ...demo, old: value }))
      await lookInFiles(outgoing, folder)
      expect(outgoing.take().toSorted()).toEqual([
        `the file .wrangler/demo.json: ${hint}`,
        `the file tenant.sqlite: ${hint}`,
      ])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
