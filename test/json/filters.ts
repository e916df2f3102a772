import { Filter } from '../../src/engine/json/filter/filter.ts'
import { type Path, PathError, parsePath } from '../../src/engine/json/path.ts'
import type { Json } from '../fixtures/tenant.ts'

const meter = () => ({ work: 0, workMax: Number.POSITIVE_INFINITY })

/** The filter of `[?condition]`, as it stands in a source of a mapping. */
export function filterOf(condition: string): Filter {
  const step = parsed(`a[?${condition}].b`)[1]
  if (step instanceof Filter) return step
  throw new Error(`no filter: ${condition}`)
}

function parsed(source: string): Path {
  return parsePath(source, { isSource: true })
}

/** The elements that the filter takes. */
export function taken(condition: string, elements: Json[]): Json[] {
  const filter = filterOf(condition)
  return elements.filter((element) => filter.test(element, meter()))
}

export const holds = (condition: string, element: Json) => taken(condition, [element]).length === 1

/** Why a source is refused; fails if it is not. */
export function refusal(source: string): string {
  try {
    parsed(source)
  } catch (error) {
    if (error instanceof PathError) return error.message
    throw error
  }
  throw new Error(`taken: ${source}`)
}
