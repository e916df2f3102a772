/** A double needs at most 24 characters. A longer text than this counts as rounded, without a closer look. */
const DIGITS_MAX = 1000

/**
 * A number of a JSON text whose digits JSON.parse does not keep. It prints as JSON by its digits. isObject
 * (fields.ts) is false for it.
 */
export class ExactNumber {
  /** As the text has them, such as `820982911946154508` or `1.50`. */
  readonly digits: string
  // Many elements and filters may ask for the same number.
  #value: number | undefined
  #isRounded: boolean | undefined

  constructor(digits: string) {
    this.digits = digits
  }

  /** What JSON.parse makes of them. */
  get value(): number {
    this.#value ??= Number(this.digits)
    return this.#value
  }

  /** Whether `value` is another number; otherwise it only prints differently (`1.50` as `1.5`). */
  get isRounded(): boolean {
    this.#isRounded ??=
      this.digits.length > DIGITS_MAX || decimalOf(String(this.value)) !== decimalOf(this.digits)
    return this.#isRounded
  }

  /** Whether `value` is no approximation: an integer beyond 2^53 with other digits, infinite, or zero. */
  get isLost(): boolean {
    const size = Math.abs(this.value)
    return this.isRounded && (size > Number.MAX_SAFE_INTEGER || size === 0)
  }

  toJSON(): unknown {
    return rawJson(this.digits)
  }
}

// TypeScript does not know JSON.rawJSON yet.
const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON: (text: string) => unknown }

/**
 * The number in one form, without trailing zeros: `12345e-3` for `12.345`, `1.23450e1` and `12.3450`. Two
 * texts are the same number exactly if their forms are equal.
 */
export function decimalOf(digits: string): string {
  // The patterns below would take too long.
  if (digits.length > DIGITS_MAX) return digits
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits) ?? []
  const all = `${whole}${fraction}`
  let end = all.length
  while (all[end - 1] === '0') end -= 1
  const significant = all.slice(0, end).replace(/^0+/, '')
  if (significant === '') return whole === '' ? digits : '0'
  const power = Number(exponent) - fraction.length + (all.length - end)
  return `${sign}${significant}e${power}`
}

/** The number of a JSON value that is one; undefined for other values. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return value instanceof ExactNumber ? value.value : undefined
}

/**
 * The value, or a copy of it in which only ExactNumbers that `stays` are left: by default those that are rounded. Hidden
 * members are kept.
 */
export function settledNumbers(
  value: unknown,
  stays: (number: ExactNumber) => boolean = ({ isRounded }) => isRounded,
): unknown {
  if (value instanceof ExactNumber) return stays(value) ? value : value.value
  if (Array.isArray(value)) {
    const settled = value.map((member: unknown) => settledNumbers(member, stays))
    return settled.some((member, index) => member !== value[index]) ? settled : value
  }
  if (typeof value !== 'object' || value === null) return value
  const settled = Object.entries(value).flatMap(([name, member]) => {
    const after = settledNumbers(member, stays)
    return after === member ? [] : [[name, after] as const]
  })
  return settled.length === 0 ? value : copyWith(value, settled)
}

function copyWith(value: object, members: (readonly [string, unknown])[]): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(value))
  for (const [name, member] of members) Object.defineProperty(copy, name, { value: member })
  return copy
}
