import type { CodeWords } from '../../settings/item-codes/kind.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'

/** What is typed of a code, by the API's names of the fields. */
export type CodeFields = Record<string, string>

export function codeForm({ field, hasUnits }: CodeWords): Shape {
  return { fields: ['code', field, ...(hasUnits ? ['units'] : [])] }
}

export function typedIn(words: CodeWords, form: Form): CodeFields {
  return Object.fromEntries(codeForm(words).fields.map((name) => [name, form.text(name)]))
}

/** The form as a row of the API. */
export function rowIn({ field, hasUnits }: CodeWords, form: Form) {
  const row = { code: form.text('code'), [field]: form.text(field) }
  return { ...row, ...(hasUnits && { units: form.number('units') ?? 1 }) }
}

const FILE_BYTES_MAX = 10 * 1024 * 1024

/** `others`: what becomes of the codes that the table in `body` does not name. */
export const IMPORT_FORM: Shape = { fields: ['body', 'others'], bytesMax: FILE_BYTES_MAX }
export const OTHERS = ['keep', 'remove'] as const
