import type { Problem } from './problem.ts'

/** The problems of one row of an upload, by the name of the field. */
export type RowFaults = Map<string, Problem>

/** The member of a mapped row that holds its problems. It is not part of the JSON. */
export const ROW_FAULTS: unique symbol = Symbol('row faults')

export function rowFaultsOf(row: object): RowFaults | undefined {
  return (row as { [ROW_FAULTS]?: RowFaults })[ROW_FAULTS]
}
