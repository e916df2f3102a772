/** A filter of RFC 9535, 2.3.5, as far as the mapping language has it. */
export type Logical =
  | { kind: 'or' | 'and'; operands: Logical[] }
  | { kind: 'not'; operand: Logical }
  | { kind: 'exists'; query: SingularQuery }
  | { kind: 'compare'; operator: Operator; left: Comparable; right: Comparable }

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>='

/** What a comparison compares. */
export type Comparable =
  | { kind: 'literal'; value: unknown }
  | { kind: 'query'; query: SingularQuery }
  | { kind: 'length'; of: Comparable }

/** The names and indexes that lead from the element at hand (`@`) to one value. */
export type SingularQuery = readonly (string | number)[]

/** Why a text is not a filter. The message is a clause without a full stop. */
export class FilterError extends Error {}
