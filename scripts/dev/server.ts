import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { Failure } from '../failure.ts'
import { abortionOf, startGroup } from './group.ts'

const POLL_MS = 100

/** Wrangler on the port, building anew at every edit of src/; what it says is shown as it comes. */
export function startServer(port: number, stop: AbortSignal) {
  const args = ['dev', '--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0']
  const colours = process.stderr.isTTY && process.stderr.hasColors()
  const output = colours ? 'inherit' : 'pipe'
  const wrangler = startGroup('wrangler', args, output)
  showPlain(wrangler.child.stdout, process.stdout)
  showPlain(wrangler.child.stderr, process.stderr)
  const ended = new AbortController()
  wrangler.exit.then(
    (code) => ended.abort(new Failure(`wrangler dev has ended by itself, exit code ${code}.`)),
    (error: unknown) => ended.abort(error),
  )
  /** Aborted when the user wants to stop, or with the reason when the server ends by itself. */
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

/** Wrangler colours its errors wherever they go. */
function showPlain(source: Readable | null, target: Writable): void {
  source?.setEncoding('utf8')
  source?.on('data', (text: string) => target.write(stripVTControlCharacters(text)))
}
