import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killGroups, leftAfter, type Process } from '../../faults/crash/processes.ts'
import { Server } from '../../faults/crash/server.ts'
import { anyFreePort } from '../../scripts/dev/port.ts'
import { type Project, startProject } from './project.ts'

const LEFT_MS_MAX = 20_000

let project: Project
const servers: Server[] = []
let orphans: Process[] = []

beforeAll(async () => {
  project = await startProject()
})
afterAll(async () => {
  for (const server of servers) await server.end()
  killGroups(orphans)
  await project.remove()
})

describe('npm start, killed before it can end what it has started', () => {
  it('leaves nothing behind, and serves again on the same port', async () => {
    const port = await anyFreePort()
    const start = async () => {
      const server = new Server(project.folder, port)
      servers.push(server)
      return { server, access: await server.serves(new AbortController().signal) }
    }
    const { server } = await start()
    const tree = await server.kill('parent')
    expect(tree.filter(({ command }) => command.includes('workerd serve'))).toHaveLength(2)
    orphans = await leftAfter(tree, LEFT_MS_MAX)
    expect(orphans).toEqual([])
    const { access } = await start()
    const answer = await fetch(`${access.origin}/api/integrations/v1/orders/`, {
      headers: { 'X-API-Key': access.key },
    })
    expect(answer.status).toBe(200)
  })
})
