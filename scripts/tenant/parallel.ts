import { Failure } from '../failure.ts'
import type { Tenant } from './environment.ts'

const AT_ONCE_MAX = 4

/**
 * Asks the tenants, four at a time; answers in their order. Stops at the first that cannot be asked
 * and throws a Failure that names it.
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

/** A generator, which the loop that fails closes for the others too: nobody begins another one. */
function* entriesOf<T>(items: T[]): Generator<[number, T]> {
  yield* items.entries()
}

function named({ slug }: Tenant, error: unknown): unknown {
  return error instanceof Failure ? new Failure(`${slug} cannot be asked: ${error.message}`) : error
}
