import type { Comparable, Logical, SingularQuery } from './syntax.ts'

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
