import { anyFreePort } from '../dev/port.ts'
import { keepWranglerQuiet } from '../dev/quiet.ts'
import { runningServer } from '../dev/running.ts'
import { startServer } from '../dev/server.ts'
import { ensureSessionSecret } from '../dev/session-secret.ts'

/** Uses the server that `npm start` runs from this folder, or else one that lives as long as the use. */
export async function withLocalServer<T>(use: (baseUrl: string) => Promise<T>): Promise<T> {
  const running = await runningServer()
  if (running !== null) return await use(running)
  keepWranglerQuiet()
  await ensureSessionSecret()
  const port = await anyFreePort()
  const server = startServer(port, new AbortController().signal)
  try {
    await server.answers()
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    await server.end()
  }
}
