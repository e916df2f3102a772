import type { Json } from '../../fixtures/tenant.ts'
import type { Edit } from '../edit.ts'

/** What a system writes for the states of an order, in its own words. */
export interface States {
  cancelled?: Edit[]
  shipped?: Edit[]
  /** Not paid, failed, held, or sent or cancelled in part. */
  refused: Edit[]
  /** Of these, PUT does not say that they are wrong. */
  refusedByPost?: Edit[]
  taken?: Edit[]
}

/** One edit for each of these values at the place. */
export const at = (place: string, ...values: Json[]): Edit[] =>
  values.map((value) => ({ [place]: value }))

/** One edit for each of these pairs, at two places. */
export const both = (one: string, other: string, ...values: [Json, Json][]): Edit[] =>
  values.map(([first, second]) => ({ [one]: first, [other]: second }))
