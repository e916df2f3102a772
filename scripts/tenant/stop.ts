const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
// What a shell has of a program that Ctrl-C has ended.
const EXIT_CODE = 130

const cleanups = new Set<() => unknown>()

/** Cleans up when `use` is done, and also when the user stops the program in the midst of it. */
export async function withCleanup<T>(cleanup: () => unknown, use: () => Promise<T>): Promise<T> {
  cleanups.add(cleanup)
  try {
    return await use()
  } finally {
    cleanups.delete(cleanup)
    await cleanup()
  }
}

/** From now on Ctrl-C cleans up before it ends the program. */
export function cleanUpOnSignals(): void {
  for (const signal of SIGNALS) process.once(signal, stop)
}

async function stop(): Promise<void> {
  await Promise.allSettled([...cleanups].map((cleanup) => cleanup()))
  process.stderr.write('\nStopped. Run it again to go on.\n')
  process.exit(EXIT_CODE)
}
