// Of real time to the service's: its longest wait, 15 s, takes 75 ms.
const SPEED = 200

const real = { setTimeout: globalThis.setTimeout, wait: scheduler.wait.bind(scheduler) }

/**
 * Lets every wait of this isolate pass 200 times as fast: deadlines, pauses before another try, and
 * the delays of injected faults, which keep their order. What a clock shows stays as it is. Gives
 * what ends it.
 */
export function speedUpTime(): () => void {
  const faster = (ms = 0) => ms / SPEED
  const setFaster = (run: (...rest: unknown[]) => void, ms?: number, ...rest: unknown[]) =>
    real.setTimeout(run, faster(ms), ...rest)
  Object.assign(globalThis, { setTimeout: setFaster })
  Object.assign(scheduler, { wait: (ms: number) => real.wait(faster(ms)) })
  return () => {
    Object.assign(globalThis, { setTimeout: real.setTimeout })
    Object.assign(scheduler, { wait: real.wait })
  }
}

/** In the service's milliseconds, whether time is sped up or not. */
export async function pass(ms: number): Promise<void> {
  await new Promise<void>((done) => setTimeout(done, ms))
}
