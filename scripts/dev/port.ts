import { once } from 'node:events'
import { createServer } from 'node:net'
import { Failure } from '../failure.ts'

export const PORT_DEFAULT = 8787
const PORT_MAX = 65_535

/** The port that PORT names, if nobody listens on it yet. */
export async function freePort(text: string | undefined): Promise<number> {
  const port = parsePort(text)
  // `localhost` may mean either: someone else on ::1 would get the requests meant for us.
  for (const host of ['127.0.0.1', '::1']) {
    const code = await refusalOf(host, port)
    if (code === 'EADDRINUSE') {
      const next = port < PORT_MAX ? port + 1 : PORT_DEFAULT
      throw new Failure(`Port ${port} is in use. Choose another one: PORT=${next} npm start`)
    }
    if (code === 'EACCES') {
      throw new Failure(`Port ${port} needs more rights. Choose one above 1023, or no PORT at all.`)
    }
  }
  return port
}

/** Any port that nobody listens on. */
export async function anyFreePort(): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Failure('There is no free port.')
  return address.port
}

function parsePort(text: string | undefined): number {
  if (!text) return PORT_DEFAULT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= PORT_MAX) return port
  throw new Failure(`PORT must be a number from 1 to ${PORT_MAX}, not "${text}".`, 2)
}

/** The error code of listening there for a moment; null when it works. */
async function refusalOf(host: string, port: number): Promise<string | null> {
  const server = createServer().listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
    return null
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : null
  } finally {
    server.close()
  }
}
