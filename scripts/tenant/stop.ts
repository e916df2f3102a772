const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
// The exit code that a shell reports for a program ended by Ctrl-C.
const EXIT_CODE = 130

const cleanups = new Set<() => unknown>()

/** Runs `cleanup` after `use`, also if the user stops the program during `use` (see cleanUpOnSignals). */
export async function withCleanup<T>(cleanup: () => unknown, use: () => Promise<T>): Promise<T> {
  cleanups.add(cleanup)
  try {
    return await use()
  } finally {
    cleanups.delete(cleanup)
    await cleanup()
  }
}

/** Makes Ctrl-C run the open cleanups before it ends the program. */
export function cleanUpOnSignals(): void {
  for (const signal of SIGNALS) process.once(signal, stop)
}

async function stop(): Promise<void> {
  await Promise.allSettled([...cleanups].map((cleanup) => cleanup()))
  process.stderr.write('\nStopped. Run the command again to continue.\n')
  process.exit(EXIT_CODE)
}
