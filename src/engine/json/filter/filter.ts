import { compileFilter, type Test, type WorkMeter } from './evaluate.ts'
import { parseCondition, parseFilter } from './parse.ts'
import { comparedPaths, type Logical } from './syntax.ts'

/** A step that takes the elements of an array for which a condition holds: `[?@.kind == 'x']`. */
export class Filter {
  /** As its author wrote it, with the brackets. */
  readonly text: string
  readonly condition: Logical
  readonly #holds: Test
  /** The work of one test, apart from what it compares. */
  readonly #work: number

  constructor(text: string, condition: Logical) {
    this.text = text
    this.condition = condition
    this.#holds = compileFilter(condition)
    const paths = comparedPaths(condition)
    this.#work = paths.reduce((work, { length }) => work + 1 + (length >> 2), 0)
  }

  /** Whether it takes the element. */
  test(element: unknown, meter: WorkMeter): boolean {
    meter.work += this.#work
    return this.#holds(element, meter)
  }

  /** The indexes of the first two elements that it takes; fewer if fewer match. */
  firstTwo(array: readonly unknown[], meter: WorkMeter): number[] {
    const found: number[] = []
    for (let index = 0; index < array.length && found.length < 2; index++) {
      meter.work += 1
      if (meter.work > meter.workMax) return []
      if (this.test(array[index], meter)) found.push(index)
    }
    return found
  }
}

/** Reads the filter that begins at `at` of the text. Throws FilterError. */
export function readFilter(text: string, at: number): { filter: Filter; length: number } {
  const { filter: condition, end } = parseFilter(text, at)
  return { filter: new Filter(text.slice(at, end), condition), length: end - at }
}

/** Reads a filter that stands alone, without its brackets: `@.kind == 'x'`. Throws FilterError. */
export function readCondition(text: string): Filter {
  return new Filter(text, parseCondition(text))
}
