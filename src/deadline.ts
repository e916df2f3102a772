/** What a call was to do may have happened, or may happen yet: it is not taken back. */
export class TimedOut extends Error {
  override name = 'TimedOut'
}

/** The call's result; throws TimedOut where it has none after so many milliseconds. */
export async function inTime<Result>(call: Promise<Result>, ms: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TimedOut('no answer in time')), ms)
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}
