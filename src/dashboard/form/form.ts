// https://html.spec.whatwg.org/#valid-floating-point-number
const NUMBER = /^-?(\d+|\d*\.\d+)(e[-+]?\d+)?$/i

/** The fields of a submitted form, which has the shape that its page sends (shape.ts). */
export class Form {
  readonly #data: URLSearchParams

  constructor(data: URLSearchParams) {
    this.#data = data
  }

  /** The field's text, trimmed; empty if the field was not sent. */
  text(name: string): string {
    return this.raw(name).trim()
  }

  /** The field's text, trimmed; null if it is empty. */
  optional(name: string): string | null {
    return this.text(name) || null
  }

  /** The field as a number; null if it is empty. Text that is not a number stays text, which a schema refuses. */
  number(name: string): number | string | null {
    const text = this.optional(name)
    return text !== null && NUMBER.test(text) ? Number(text) : text
  }

  raw(name: string): string {
    return (this.#data.get(name) ?? '').replaceAll('\r\n', '\n')
  }

  /** All values of the field, in order. */
  all(name: string): string[] {
    return this.#data.getAll(name)
  }

  has(name: string): boolean {
    return this.#data.has(name)
  }
}
