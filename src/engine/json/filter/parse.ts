import { Scanner } from './scanner.ts'
import {
  type Comparable,
  FilterError,
  type Logical,
  type Operator,
  type SingularQuery,
} from './syntax.ts'

const OPERATOR = /==|!=|<=|>=|<|>/y
const FUNCTION = /[a-z][a-z0-9_]*(?=\()/y
const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])
// Of RFC 9535, and not linear or not of use here.
const OTHER_FUNCTIONS = ['count', 'match', 'search', 'value']
const NESTING_MAX = 16

/**
 * Parses the filter that begins with `[?` at `at` of the text (RFC 9535, 2.3.5); `end` is behind its `]`.
 * Throws FilterError.
 */
export function parseFilter(text: string, at: number): { filter: Logical; end: number } {
  const scanner = new Scanner(text, at)
  scanner.expect('[')
  scanner.skipSpace()
  scanner.expect('?')
  scanner.skipSpace()
  const filter = new Parser(scanner).either()
  scanner.skipSpace()
  if (scanner.sees(',')) throw missing('several selectors in one [ ]')
  scanner.expect(']')
  return { filter, end: scanner.at }
}

/** Parses a condition that stands alone, without `[?` and `]`. Throws FilterError. */
export function parseCondition(text: string): Logical {
  const scanner = new Scanner(text, 0)
  scanner.skipSpace()
  const condition = new Parser(scanner).either()
  scanner.skipSpace()
  if (scanner.at < text.length) scanner.fail('an operator, such as == or &&, is missing')
  return condition
}

function missing(what: string): FilterError {
  return new FilterError(`${what} of RFC 9535 cannot be used in a mapping`)
}

/** What to write instead of a word that is none of the language. */
function adviceOn(word: string): string {
  const literal = word.toLowerCase()
  if (WORDS.has(literal)) return `${word} is written ${literal}`
  if (/[\u2018-\u201f]/.test(word)) return `${word} needs straight quotes: ' or "`
  return `a field of the element begins with "@.": write "@.${word}"`
}

class Parser {
  readonly #scanner: Scanner
  #depth = 0

  constructor(scanner: Scanner) {
    this.#scanner = scanner
  }

  either(): Logical {
    return this.#joined('or', '||', () => this.#joined('and', '&&', () => this.#basic()))
  }

  #joined(kind: 'or' | 'and', operator: string, operand: () => Logical): Logical {
    const operands = [operand()]
    for (;;) {
      const { at } = this.#scanner
      this.#scanner.skipSpace()
      if (!this.#scanner.takes(operator)) {
        this.#scanner.at = at
        return operands.length > 1 ? { kind, operands } : (operands[0] as Logical)
      }
      this.#scanner.skipSpace()
      operands.push(operand())
    }
  }

  #basic(): Logical {
    const scanner = this.#scanner
    const isNegated = scanner.sees('!=') ? false : scanner.takes('!')
    if (isNegated) scanner.skipSpace()
    const inner = scanner.takes('(') ? this.#parenthesis() : this.#test(isNegated)
    return isNegated ? { kind: 'not', operand: inner } : inner
  }

  #parenthesis(): Logical {
    this.#depth += 1
    if (this.#depth > NESTING_MAX)
      throw new FilterError(`it has more than ${NESTING_MAX} parentheses in each other`)
    this.#scanner.skipSpace()
    const inner = this.either()
    this.#scanner.skipSpace()
    this.#scanner.expect(')')
    this.#depth -= 1
    return inner
  }

  /** A comparison, or the existence of a value. */
  #test(isNegated: boolean): Logical {
    const scanner = this.#scanner
    const left = this.#comparable()
    const { at } = scanner
    scanner.skipSpace()
    const operator = scanner.match(OPERATOR) as Operator | null
    if (operator === null) {
      if (scanner.sees('=~'))
        throw new FilterError('regular expressions cannot be used: compare with ==')
      if (scanner.sees('=')) throw new FilterError('"==" compares: write it in place of "="')
      scanner.at = at
      if (left.kind === 'query') return { kind: 'exists', query: left.query }
      return scanner.fail('a comparison is missing')
    }
    if (isNegated) scanner.fail(`"!" before a comparison needs parentheses: !(...)`)
    scanner.skipSpace()
    const right = this.#comparable()
    for (const side of [left, right]) {
      if (side.kind === 'query' && side.isSpaced) {
        scanner.fail('a compared path has white space within its [ ]')
      }
    }
    return { kind: 'compare', operator, left, right }
  }

  #comparable(): Comparable & { isSpaced?: boolean } {
    const scanner = this.#scanner
    if (scanner.takes('@')) return this.#query()
    if (scanner.sees('$')) throw missing('"$" within a filter')
    const text = scanner.quoted()
    if (text !== null) return { kind: 'literal', value: text }
    const number = scanner.number()
    if (number !== null) return { kind: 'literal', value: number }
    const name = scanner.match(FUNCTION)
    if (name !== null) return this.#call(name)
    return { kind: 'literal', value: this.#word() }
  }

  #word(): unknown {
    const scanner = this.#scanner
    const { at } = scanner
    const word = scanner.name()
    if (word !== null && WORDS.has(word)) return WORDS.get(word)
    scanner.skipSpace()
    if (word !== null && !scanner.sees('(')) throw new FilterError(adviceOn(word))
    scanner.at = at
    return scanner.fail('"@", a text in quotes, a number, true, false, null or length() is missing')
  }

  #call(name: string): Comparable {
    const scanner = this.#scanner
    if (OTHER_FUNCTIONS.includes(name)) throw missing(`the function ${name}()`)
    if (name !== 'length') scanner.fail(`there is no function ${name}()`)
    scanner.expect('(')
    this.#depth += 1
    if (this.#depth > NESTING_MAX) scanner.fail('too many functions are in each other')
    scanner.skipSpace()
    const of = this.#comparable()
    scanner.skipSpace()
    scanner.expect(')')
    this.#depth -= 1
    return { kind: 'length', of }
  }

  #query(): Comparable & { isSpaced: boolean } {
    const scanner = this.#scanner
    const query: (string | number)[] = []
    let isSpaced = false
    for (;;) {
      const { at } = scanner
      scanner.skipSpace()
      if (scanner.sees('..')) throw missing('".."')
      if (scanner.takes('.')) query.push(this.#member())
      else if (scanner.takes('[')) {
        const { step, hasSpace } = this.#selector()
        query.push(step)
        isSpaced ||= hasSpace
      } else {
        scanner.at = at
        return { kind: 'query', query: query as SingularQuery, isSpaced }
      }
    }
  }

  #member(): string {
    if (this.#scanner.sees('*')) throw missing('"*" within a filter')
    return this.#scanner.name() ?? this.#scanner.fail('a name is missing')
  }

  #selector(): { step: string | number; hasSpace: boolean } {
    const scanner = this.#scanner
    const before = scanner.skipSpace()
    if (scanner.sees('?')) throw missing('a filter within a filter')
    if (scanner.sees('*')) throw missing('"*" within a filter')
    const step = scanner.sees(':') ? null : (scanner.quoted() ?? scanner.integer())
    const after = scanner.skipSpace()
    if (scanner.sees(':')) throw missing('a slice [:] within a filter')
    if (scanner.sees(',')) throw missing('several selectors in one [ ]')
    if (step === null) scanner.fail('a name in quotes or an index is missing')
    scanner.expect(']')
    return { step: step as string | number, hasSpace: before || after }
  }
}
