import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { Failure } from '../failure.ts'
import { type Demo, readDemo } from './demo.ts'
import { abortionOf, startGroup } from './group.ts'

const ADVICE = `The local tenant demo could not be prepared, see above. If its state is at fault, delete the
folder .wrangler to start anew.`

/** Puts database and keys in place. What is said on the way is shown only if that fails. */
export async function prepareTenant(port: number, stop: AbortSignal): Promise<Demo> {
  // A process of its own: wrangler's own handling of Ctrl-C would get in the way of ours.
  const args = ['scripts/dev/prepare.ts', String(port)]
  const preparation = startGroup(process.execPath, args, 'pipe')
  const { stdout, stderr } = preparation.child
  const said = Promise.all([stdout, stderr].map((stream) => stream && text(stream)))
  const code = await Promise.race([preparation.exit, abortionOf(stop)]).finally(preparation.end)
  if (code === 0) return (await readDemo()) as Demo
  const output = stripVTControlCharacters((await said).join('').trim())
  throw new Failure(`${output}\n\n${ADVICE}`)
}
