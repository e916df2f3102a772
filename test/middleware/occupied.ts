import { withBatch } from '../fixtures/bindings.ts'
import { type Api, client, createKey } from '../fixtures/tenant.ts'

/**
 * Real D1 that counts how many batches are inside at a time. A single statement is a flush of audit
 * rows, after the answer; a write has at least four.
 */
function occupied(statementsMin: number, hold: () => Promise<unknown>) {
  const state = { inside: 0, most: 0 }
  const bindings = withBatch(async (call, statements) => {
    if (statements.length < statementsMin) return await call()
    state.inside += 1
    state.most = Math.max(state.most, state.inside)
    await hold()
    const results = await call()
    state.inside -= 1
    return results
  })
  return { state, bindings }
}

/** A little slower than it is. */
export function slowDatabase(statementsMin = 2) {
  return occupied(statementsMin, () => scheduler.wait(5))
}

/** Answers nothing after the `first` batches until it is let go. */
export function heldDatabase(statementsMin = 2, first = 0) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  let answered = 0
  const hold = async () => {
    answered += 1
    if (answered > first) await promise
  }
  return { ...occupied(statementsMin, hold), letGo }
}

export async function statusesOf(answers: Promise<{ status: number }>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status)
}

/** The client of a new key, which is known by now. */
export async function openKey(): Promise<Api> {
  const api = client((await createKey()).value)
  await api.get('/orders/')
  return api
}
