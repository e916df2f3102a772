/** A call had no result in time. It is not cancelled: it may have taken effect, or still may. */
export class TimedOut extends Error {
  override name = 'TimedOut'
}

/** The call's result; throws TimedOut if it has none after `ms` milliseconds. */
export async function inTime<Result>(call: Promise<Result>, ms: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TimedOut('no answer in time')), ms)
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}
