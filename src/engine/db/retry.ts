const RETRIES_MAX = 3
const RETRY_DELAY_MS = 50

/**
 * Milliseconds to wait after this attempt (1 is the first) before the next: a random number up to 100, 200
 * and 400, so that requests that failed together do not retry together.
 */
export function pauseAfter(attempt: number): number {
  return Math.random() * RETRY_DELAY_MS * 2 ** attempt
}

/**
 * Calls up to four times, until a call succeeds or fails with an error that is not retryable. `call` gets
 * what is left of `msMax` milliseconds; no further call begins after them. Throws the last call's error.
 */
export async function retrying<Result>(
  msMax: number,
  isRetryable: (error: unknown) => boolean,
  call: (msLeft: number) => Promise<Result>,
): Promise<Result> {
  const ends_at = Date.now() + msMax
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(ends_at - Date.now())
    } catch (error) {
      const pause = pauseAfter(attempt)
      const isLast = attempt > RETRIES_MAX || Date.now() + pause >= ends_at
      if (isLast || !isRetryable(error)) throw error
      await scheduler.wait(pause)
    }
  }
}
