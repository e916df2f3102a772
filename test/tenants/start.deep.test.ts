import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { anyFreePort } from '../../scripts/local/port.ts'
import { killGroups, leftAfter, type Process } from '../crash/processes.ts'
import { newProject, project, serving, start, statusOf } from './starting.ts'

const RUNS_ALREADY = 'npm start already runs in this folder'

describe('npm start, where another one runs in the same folder', () => {
  it('says so and ends, whichever port it was to take, and leaves the other one alone', async () => {
    const port = await anyFreePort()
    const access = await serving(start(project, port))
    const saved = await project.read('.wrangler/demo.json')
    for (const other of [port, await anyFreePort()]) {
      const second = await project.run(['scripts/crossdock.ts', 'dev'], { PORT: String(other) })
      expect(second).toMatchObject({ code: 1, stdout: '' })
      expect(second.stderr).toContain(`${RUNS_ALREADY}, at http://localhost:${port}: stop it first`)
      expect(second.stderr).not.toContain('    at ')
    }
    expect(await project.read('.wrangler/demo.json')).toBe(saved)
    expect(await statusOf(access)).toBe(200)
  })

  it('lets one of two serve that are started at the same moment', async () => {
    const fresh = await newProject()
    const both = [start(fresh, await anyFreePort()), start(fresh, await anyFreePort())]
    const outcomes = await Promise.allSettled(both.map(serving))
    const [refused, served] = outcomes.toSorted((a, b) => b.status.localeCompare(a.status))
    if (refused?.status !== 'rejected' || served?.status !== 'fulfilled') {
      throw new Error(`not one of each: ${JSON.stringify(outcomes)}`)
    }
    expect(String(refused.reason)).toContain(RUNS_ALREADY)
    expect(await statusOf(served.value)).toBe(200)
  })
})

describe('npm start, where another one runs in another folder', () => {
  it('serves beside it, on another port', async () => {
    const other = await newProject()
    const accesses = [
      await serving(start(project, await anyFreePort())),
      await serving(start(other, await anyFreePort())),
    ]
    expect(await Promise.all(accesses.map(statusOf))).toEqual([200, 200])
  })
})

describe('npm start', () => {
  it('keeps no addresses of requests, and answers before a refused body has come', async () => {
    const fresh = await newProject()
    const access = await serving(start(fresh, await anyFreePort()))
    expect(await statusOf(access)).toBe(200)
    const url = `${access.origin}/api/integrations/v1/orders/`
    const sending = request(url, { method: 'POST', headers: { 'Content-Length': '100' } })
    sending.write('{')
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(403)
    sending.destroy()
    const stores = await readdir(join(fresh.folder, '.wrangler/state/v3'))
    expect(stores).toContain('d1')
    expect(stores).not.toContain('observability')
  })
})

describe('.wrangler/demo.json', () => {
  it('is there with all its keys or not at all, for its owner alone', async () => {
    const fresh = await newProject()
    const seen: string[] = []
    let isServed = false
    const served = serving(start(fresh, await anyFreePort())).finally(() => {
      isServed = true
    })
    while (!isServed) {
      seen.push(await fresh.read('.wrangler/demo.json').catch(() => 'none'))
      await sleep(1)
    }
    await served
    const [first, second, ...more] = [...new Set(seen)]
    expect([first, more]).toEqual(['none', []])
    const anyKey = expect.stringMatching(/^xd_demo_/)
    expect(JSON.parse(second ?? '')).toMatchObject({
      settings_key: anyKey,
      key: anyKey,
      partner_key: anyKey,
    })
    const { mode } = await stat(join(fresh.folder, '.wrangler/demo.json'))
    expect(mode & 0o777).toBe(0o600)
  })
})

const LEFT_MS_MAX = 20_000

let orphans: Process[] = []

afterEach(() => {
  killGroups(orphans)
  orphans = []
})

describe('npm start, killed before it can end what it has started', () => {
  it('leaves nothing behind, and serves again on the same port', async () => {
    const port = await anyFreePort()
    const server = start(project, port)
    await serving(server)
    const tree = await server.kill('parent')
    expect(tree.filter(({ command }) => command.includes('workerd serve'))).toHaveLength(2)
    orphans = await leftAfter(tree, LEFT_MS_MAX)
    expect(orphans).toEqual([])
    expect(await statusOf(await serving(start(project, port)))).toBe(200)
  })
})
