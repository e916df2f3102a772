import { runningServer } from '../local/lock.ts'
import { anyFreePort } from '../local/port.ts'
import { keepWranglerQuiet } from '../local/quiet.ts'
import { ensureLocalSecrets } from '../local/secrets.ts'
import { startServer } from '../local/server.ts'
import { withCleanup } from './stop.ts'

/**
 * Calls `use` with the server that `npm start` runs from this folder, or else with a temporary one. `life` is
 * aborted if the temporary server ends by itself.
 */
export async function withLocalServer<T>(
  use: (baseUrl: string, life: AbortSignal) => Promise<T>,
): Promise<T> {
  const running = await runningServer()
  if (running !== null) return await use(running, new AbortController().signal)
  keepWranglerQuiet()
  await ensureLocalSecrets()
  const port = await anyFreePort()
  // The server runs in a process group of its own, which Ctrl-C does not reach.
  const server = startServer(port, new AbortController().signal)
  return await withCleanup(server.end, async () => {
    await server.answers()
    return await Promise.race([use(`http://127.0.0.1:${port}`, server.life), server.ends()])
  })
}
