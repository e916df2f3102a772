import { afterAll, afterEach, beforeAll } from 'vitest'
import { Server } from '../crash/server.ts'
import { type Project, startProject } from '../fixtures/project.ts'

const projects: Project[] = []

const servers: Server[] = []

export let project: Project

beforeAll(async () => {
  project = await newProject()
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.end()
})

afterAll(async () => {
  for (const { remove } of projects) await remove()
})

export async function newProject(): Promise<Project> {
  const made = await startProject()
  projects.push(made)
  return made
}

export function start({ folder }: Project, port: number): Server {
  const server = new Server(folder, port)
  servers.push(server)
  return server
}

export const serving = (server: Server) => server.serves(new AbortController().signal)

export async function statusOf({ origin, key }: { origin: string; key: string }): Promise<number> {
  const url = `${origin}/api/integrations/v1/orders/`
  return (await fetch(url, { headers: { 'X-API-Key': key } })).status
}
