import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect } from 'vitest'
import { anyFreePort } from '../../scripts/local/port.ts'
import { type Project, startProject } from '../fixtures/project.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'
import { lookAtStart } from '../fixtures/secrets/output.ts'
import { tenant } from './operator.ts'

export let project: Project

beforeAll(async () => {
  project = await startProject()
})

afterAll(() => project.remove())

export const run = (...args: string[]) => tenant(project, args)

export async function workspaceOf(origin: string, key: string) {
  const headers = { 'X-API-Key': key }
  return await (await fetch(`${origin}/api/settings/v1/workspace/`, { headers })).json()
}

/** `npm start` in the copy, for as long as it is used; gives its origin and demo's settings key. */
export async function serve<T>(use: (origin: string, demoKey: string) => Promise<T>): Promise<T> {
  const port = await anyFreePort()
  const server = spawn(process.execPath, ['scripts/crossdock.ts', 'dev'], {
    cwd: project.folder,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(server, 'close')
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    server[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text
    })
  }
  try {
    await expect.poll(() => said.stdout, { timeout: 60_000 }).toContain('the audit log')
    const { base_url, settings_key } = JSON.parse(await project.read('.wrangler/demo.json'))
    return await use(base_url, settings_key)
  } finally {
    server.kill('SIGINT')
    await closed
    lookAtStart(outgoing, said)
  }
}
