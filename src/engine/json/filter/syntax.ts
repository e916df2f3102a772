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

/** The paths in an element that a filter looks at. */
export function comparedPaths(condition: Logical): SingularQuery[] {
  if (condition.kind === 'exists') return [condition.query]
  if (condition.kind === 'not') return comparedPaths(condition.operand)
  if (condition.kind === 'compare') {
    return [condition.left, condition.right].flatMap(pathsOfComparable)
  }
  return condition.operands.flatMap(comparedPaths)
}

function pathsOfComparable(comparable: Comparable): SingularQuery[] {
  if (comparable.kind === 'length') return pathsOfComparable(comparable.of)
  return comparable.kind === 'query' ? [comparable.query] : []
}
