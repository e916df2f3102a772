import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'

// https://html.spec.whatwg.org/#valid-floating-point-number
const NUMBER = /^-?(\d+|\d*\.\d+)(e[-+]?\d+)?$/i

/** The fields of a form as they were sent; for a form that is shown first, none. */
export class Form {
  readonly #data: FormData

  constructor(data = new FormData()) {
    this.#data = data
  }

  /** Without white space at its ends; empty when it was not sent. */
  text(name: string): string {
    return this.raw(name).trim()
  }

  /** The text, or null where nothing was filled in. */
  optional(name: string): string | null {
    return this.text(name) || null
  }

  /**
   * As a number field has it: null where nothing was filled in. What is no number stays text, which a
   * schema refuses.
   */
  number(name: string): number | string | null {
    const text = this.optional(name)
    return text !== null && NUMBER.test(text) ? Number(text) : text
  }

  raw(name: string): string {
    const value = this.#data.get(name)
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''
  }

  /** Every value of the name, in order. */
  all(name: string): string[] {
    return this.#data.getAll(name).filter((value) => typeof value === 'string')
  }

  has(name: string): boolean {
    return this.#data.has(name)
  }
}

/** Of the request; kept for a replay, which cannot read the body again. */
async function readForm(c: Context<AppEnv>): Promise<Form> {
  const exchange = c.get('exchange')
  exchange.payload ??= c.req.raw.formData().catch(() => {
    throw new ApiError('VALIDATION_ERROR', 'The form could not be read. Load the page again.')
  })
  return new Form((await exchange.payload) as FormData)
}

/**
 * The form that was sent. Whatever is refused from here on is shown by `show`: the same form, as it
 * was filled in, with the error.
 */
export async function formOf(
  c: Context<AppEnv>,
  show: (form: Form, error: ApiError) => Response | Promise<Response>,
): Promise<Form> {
  const form = await readForm(c)
  c.set('showForm', (error) => show(form, error))
  return form
}
