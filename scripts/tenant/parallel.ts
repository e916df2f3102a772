import { Failure } from '../failure.ts'
import type { Tenant } from './environment.ts'

const AT_ONCE_MAX = 4

/**
 * Runs `ask` for each tenant, four at a time, and returns the results in the tenants' order. Stops at the first
 * that fails; a Failure then names the tenant.
 */
export async function inParallel<R>(
  tenants: Tenant[],
  ask: (tenant: Tenant) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = []
  const rest = entriesOf(tenants)
  const work = async () => {
    for (const [index, tenant] of rest) {
      answers[index] = await ask(tenant).catch((error) => {
        throw named(tenant, error)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work))
  return answers
}

/** A generator: the loop that throws closes it, so that the other loops start nothing more. */
function* entriesOf<T>(items: T[]): Generator<[number, T]> {
  yield* items.entries()
}

function named({ slug }: Tenant, error: unknown): unknown {
  return error instanceof Failure
    ? new Failure(`${slug} could not be read: ${error.message}`)
    : error
}
