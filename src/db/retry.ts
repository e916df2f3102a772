const RETRIES_MAX = 3
const RETRY_DELAY_MS = 50

/**
 * Calls until it succeeds, up to four times, as long as the error is worth another try. Between two
 * calls it waits a random time up to 100, 200 and 400 ms: those who failed together do not come back
 * together. A call is told how many of `msMax` milliseconds are left, and no other one begins after
 * them. Throws what the last call threw.
 */
export async function retrying<Result>(
  msMax: number,
  isWorthAnother: (error: unknown) => boolean,
  call: (msLeft: number) => Promise<Result>,
): Promise<Result> {
  const ends_at = Date.now() + msMax
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(ends_at - Date.now())
    } catch (error) {
      const pause = Math.random() * RETRY_DELAY_MS * 2 ** attempt
      const isLast = attempt > RETRIES_MAX || Date.now() + pause >= ends_at
      if (isLast || !isWorthAnother(error)) throw error
      await scheduler.wait(pause)
    }
  }
}
