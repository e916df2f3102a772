import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { Failure } from '../failure.ts'
import { CONFIG_OPTION } from '../tenant/config-file.ts'
import { abortionOf, startGroup } from './group.ts'

const POLL_MS = 100

// Wrangler watches the inode of wrangler.toml. The tenant command, git and many editors replace the file by a
// rename. Then wrangler opens a new watcher, but the closed one (chokidar 4.0.1) still opens a watch on the new
// inode, which all later watchers share and nobody renews: from the third rename on, changes go unnoticed.
// Polling watches the name instead. It takes half a percent of a core.
const WATCH_BY_NAME = { CHOKIDAR_USEPOLLING: '1', CHOKIDAR_INTERVAL: '300' }

/** What wrangler does besides, and the deployed Worker does not. */
const WITHOUT = {
  // A store of all requests with their full addresses, which grows by 5 MB a minute under load.
  X_LOCAL_OBSERVABILITY: 'false',
  // Reads what a refused request has not sent yet before it passes the answer on.
  WRANGLER_DISABLE_REQUEST_BODY_DRAINING: 'true',
}

/** Runs `wrangler dev` on the port. It rebuilds at every edit of src/. Its output is shown. */
export function startServer(port: number, stop: AbortSignal) {
  const args = [
    'dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--inspector-port',
    '0',
    ...CONFIG_OPTION,
  ]
  const colours = process.stderr.isTTY && process.stderr.hasColors()
  const output = colours ? 'inherit' : 'pipe'
  const wrangler = startGroup('wrangler', args, output, { ...WATCH_BY_NAME, ...WITHOUT })
  showPlain(wrangler.child.stdout, process.stdout)
  showPlain(wrangler.child.stderr, process.stderr)
  const ended = new AbortController()
  wrangler.exit.then(
    (code) => ended.abort(new Failure(`wrangler dev has ended with exit code ${code}.`)),
    (error: unknown) => ended.abort(error),
  )
  /** Aborted when the user stops it, or with the reason when the server ends by itself. */
  const life = AbortSignal.any([stop, ended.signal])
  return {
    life,
    answers: () => answers(`http://127.0.0.1:${port}/`, life),
    ends: () => abortionOf(life),
    end: wrangler.end,
  }
}

async function answers(url: string, life: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await fetch(url, { signal: life })
      return
    } catch {
      life.throwIfAborted()
      await sleep(POLL_MS)
    }
  }
}

/** Removes colours: wrangler colours its errors even in a pipe. */
function showPlain(source: Readable | null, target: Writable): void {
  source?.setEncoding('utf8')
  source?.on('data', (text: string) => target.write(stripVTControlCharacters(text)))
}
