/** Prints progress on stderr, so that stdout holds only the result. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Runs a step and prints one line for it: the title while it runs, then the outcome. */
export async function step<T>(
  title: string,
  run: () => Promise<T>,
  outcomeOf: (result: T) => string = () => 'done',
): Promise<T> {
  const started = performance.now()
  process.stderr.write(`  ${title} ... `)
  try {
    const result = await run()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    say(`${outcomeOf(result)} (${seconds} s)`)
    return result
  } catch (error) {
    say('failed')
    throw error
  }
}
