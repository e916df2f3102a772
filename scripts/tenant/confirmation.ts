import { createInterface } from 'node:readline/promises'
import { Failure } from '../failure.ts'
import type { Options } from './command.ts'

/** Throws a Failure with exit code 2 if --confirm is not the slug, or there is neither it nor a terminal to ask. */
export function refuseUnconfirmed(slug: string, { confirm: given }: Options): void {
  if (given === slug || (given === undefined && process.stdin.isTTY)) return
  const wrong = given === undefined ? 'There is no terminal to ask' : `"${given}" is not the slug`
  throw new Failure(`${wrong}: confirm with --confirm ${slug}.`, 2)
}

/** Asks for the slug unless --confirm gave it. Ctrl-C and the end of the input do not confirm. */
export async function isConfirmed(
  slug: string,
  consequence: string,
  { confirm: given }: Options,
): Promise<boolean> {
  if (given !== undefined) return true
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const question = `${consequence} Type ${slug} to confirm: `
  const answer = await terminal.question(question).catch(() => '')
  terminal.close()
  return answer.trim() === slug
}
