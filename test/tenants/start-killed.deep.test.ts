import { afterEach, describe, expect, it } from 'vitest'
import { anyFreePort } from '../../scripts/local/port.ts'
import { killGroups, leftAfter, type Process } from '../crash/processes.ts'
import { project, serving, start, statusOf } from './starting.ts'

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
