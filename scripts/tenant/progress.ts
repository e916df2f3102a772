/** Says on stderr what is being done, so that stdout holds the result alone. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** One line a step: its title while it runs, then what came of it. */
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
