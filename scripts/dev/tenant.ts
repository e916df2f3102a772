import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { Failure } from '../failure.ts'
import type { Demo } from './demo.ts'
import { abortionOf, startGroup } from './group.ts'

const ADVICE = `The local tenant demo could not be prepared, see above. If its stored state is broken, delete the
folder .wrangler and start again.`

/** Creates the database and its keys where they are missing, and returns the keys. Shows output only on failure. */
export async function prepareTenant(port: number, stop: AbortSignal): Promise<Demo> {
  // In a separate process, because wrangler's handling of Ctrl-C would interfere with ours.
  const args = ['scripts/dev/prepare.ts', String(port)]
  const preparation = startGroup(process.execPath, args, 'pipe')
  const { stdout, stderr } = preparation.child
  const said = Promise.all(
    [stdout, stderr].map(async (stream) => (stream ? await text(stream) : '')),
  )
  const code = await Promise.race([preparation.exit, abortionOf(stop)]).finally(preparation.end)
  const [out = '', err = ''] = await said
  if (code === 0) return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Demo
  const output = withoutStack(stripVTControlCharacters((out + err).trim()))
  throw new Failure(`${output}\n\n${ADVICE}`)
}

function withoutStack(output: string): string {
  return output.replaceAll(/^\s+at .*\n?/gm, '').trimEnd()
}
