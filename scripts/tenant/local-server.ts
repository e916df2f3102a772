import { anyFreePort } from '../dev/port.ts'
import { keepWranglerQuiet } from '../dev/quiet.ts'
import { runningServer } from '../dev/running.ts'
import { startServer } from '../dev/server.ts'
import { ensureSessionSecret } from '../dev/session-secret.ts'
import { Failure } from '../failure.ts'

/**
 * Uses the server that `npm start` runs from this folder, or else one that lives as long as the use.
 * `life` is aborted when that ends by itself, or the user stops it.
 */
export async function withLocalServer<T>(
  use: (baseUrl: string, life: AbortSignal) => Promise<T>,
): Promise<T> {
  const running = await runningServer()
  if (running !== null) return await use(running, new AbortController().signal)
  keepWranglerQuiet()
  await ensureSessionSecret()
  const port = await anyFreePort()
  // The server is a process group of its own, which Ctrl-C does not reach.
  const stop = new AbortController()
  const end = () => stop.abort(new Failure('Stopped. Run it again to go on.', 130))
  process.on('SIGINT', end).on('SIGTERM', end)
  const server = startServer(port, stop.signal)
  try {
    await server.answers()
    return await Promise.race([use(`http://127.0.0.1:${port}`, server.life), server.ends()])
  } finally {
    await server.end()
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}
