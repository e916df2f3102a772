import { D1_OTHER, D1_TRANSIENT, type Fault } from '../../fixtures/fault.ts'
import type { Dice } from './clock.ts'

/**
 * Faults of D1 for one request, of every kind: nothing has happened, it has happened and its answer is lost, it happens later, it is
 * late, or nobody ever answers.
 */
export function drawFaults(dice: Dice): Fault[] {
  if (dice.chance(0.7)) return []
  const place = {
    on: 'd1' as const,
    nth: dice.of([0, 0, 0, 1, 2]),
    times: dice.of([1, 1, 1, 2, 4]),
  }
  const message = dice.of(dice.chance(0.7) ? D1_TRANSIENT : D1_OTHER)
  const kind = dice.roll()
  if (kind < 0.3) return [{ ...place, how: 'before', message }]
  if (kind < 0.6) return [{ ...place, how: 'after', message }]
  if (kind < 0.75) return [{ ...place, how: 'lost', message, ms: dice.of([50, 800, 4000]) }]
  const acts = dice.of(['at_once', 'in_the_end'] as const)
  if (kind < 0.95) return [{ ...place, how: 'late', ms: dice.of([50, 800, 5000, 20_000]), acts }]
  return [{ ...place, how: 'never', acts: dice.chance(0.5) }]
}
