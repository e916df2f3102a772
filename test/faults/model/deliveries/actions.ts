import fc from 'fast-check'
import type { Fault } from '../../../fixtures/fault.ts'

// A sequence is plain JSON: it can be printed, shrunk and run again.

export type Action =
  | { does: 'deliver'; event: Event; document: Document; faults: Fault[] }
  | { does: 'create'; sku: Sku }
  | { does: 'switch'; on: boolean }
  | { does: 'alarm'; faults: Fault[] }
  /** Of the deliveries that were told to wait, the nth from the end. */
  | { does: 'apply' | 'dismiss'; nth: number; faults: Fault[] }

export type Event = 'order.created' | 'order.updated' | 'order.deleted' | 'refund.created'
/** The first one is there. */
export type Sku = 'S-1' | 'S-2' | 'S-3'

export interface Document {
  order: 'A' | 'B'
  status: 'processing' | 'cancelled' | 'draft'
  customer: string
  /** The mapping cannot read it. */
  isBroken: boolean
  /** Minutes before the beginning: the greatest is the oldest. Null: it has the id alone. */
  age: number | null
  sku: Sku
}

const document = fc.record<Document>({
  order: fc.constantFrom('A', 'A', 'B'),
  status: fc.constantFrom('processing', 'processing', 'processing', 'cancelled', 'draft'),
  customer: fc.constantFrom('Ada', 'Grace', 'Edith'),
  isBroken: fc.constantFrom(false, false, false, false, false, true),
  age: fc.nat({ max: 9 }),
  sku: fc.constantFrom('S-1', 'S-1', 'S-2', 'S-3'),
})

/** Sequences of deliveries and of what frees them, mostly without faults. */
export function deliverySequences(faults: fc.Arbitrary<Fault[]>): fc.Arbitrary<Action[][]> {
  const deliver = fc.record({
    does: fc.constant('deliver' as const),
    event: fc.constantFrom<Event>('order.created', 'order.updated', 'refund.created'),
    document,
    faults,
  })
  const remove = fc.record({
    does: fc.constant('deliver' as const),
    event: fc.constant<Event>('order.deleted'),
    document: document.map((each): Document => ({ ...each, age: null })),
    faults,
  })
  const tried = fc.record({
    does: fc.constantFrom('apply' as const, 'apply' as const, 'dismiss' as const),
    nth: fc.nat({ max: 3 }),
    faults,
  })
  const action = fc.oneof<fc.WeightedArbitrary<Action>[]>(
    { weight: 16, arbitrary: deliver },
    { weight: 1, arbitrary: remove },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('create' as const),
        sku: fc.constantFrom<Sku>('S-2', 'S-3'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('switch' as const), on: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constant('alarm' as const), faults }) },
    { weight: 2, arbitrary: tried },
  )
  const step = fc.array(action, { maxLength: 3, size: 'max' })
  return fc.array(step, { minLength: 1, maxLength: 8, size: 'max' })
}
