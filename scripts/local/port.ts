import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Failure } from '../failure.ts'

export const PORT_DEFAULT = 8787
const PORT_MAX = 65_535
// Systems give higher ports to outgoing connections, and one of them could take the port before the server does.
const ANY_MIN = 10_000
const ANY_MAX = 30_000
const TRIES_MAX = 100

/** The port that PORT names. Throws a Failure if it is in use. */
export async function freePort(text: string | undefined): Promise<number> {
  const port = parsePort(text)
  // `localhost` may resolve to either. A server of another program on ::1 would get our requests.
  for (const host of ['127.0.0.1', '::1']) {
    const code = await refusalOf(host, port)
    if (code === 'EADDRINUSE') {
      const next = port < PORT_MAX ? port + 1 : PORT_DEFAULT
      throw new Failure(`Port ${port} is in use. Choose another one: PORT=${next} npm start`)
    }
    if (code === 'EACCES') {
      throw new Failure(
        `You may not use port ${port}. Set PORT to one above 1023, or leave it out.`,
      )
    }
  }
  return port
}

/** A free port, for a server that is started right after. */
export async function anyFreePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(ANY_MIN, ANY_MAX)
    if ((await refusalOf('127.0.0.1', port)) === null) return port
  }
  throw new Failure('There is no free port.')
}

/** The port that PORT names; 8787 if it names none. Throws a Failure if it is not a port. */
export function parsePort(text: string | undefined): number {
  if (!text) return PORT_DEFAULT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= PORT_MAX) return port
  throw new Failure(`PORT must be a number from 1 to ${PORT_MAX}, not "${text}".`, 2)
}

/** Tries to listen there. Returns the error code, or null if it works. */
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
