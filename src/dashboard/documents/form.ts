import type { KeepDocuments } from '../../engine/redaction/policy.ts'
import type { Form } from '../form/form.ts'

export const NAMES = {
  of: 'keep_documents.of',
  days: 'keep_documents.days',
  redact: 'keep_documents.redact',
} as const

/** A form that cannot change them has none of these fields. */
export const DOCUMENTS = { names: Object.values(NAMES), max: 1 }

const USUAL_DAYS = 30

/** The form's fields as texts. `of` is empty if nothing is kept, `redact` has a path in each line. */
export interface DocumentFields {
  of: string
  days: string
  redact: string
}

export function savedDocuments(policy: KeepDocuments | null): DocumentFields {
  const { of = '', days = USUAL_DAYS, redact = [] } = policy ?? {}
  return { of, days: String(days), redact: redact.join('\n') }
}

/** The fields as they were filled in; null if the form has none, because it could not change them. */
export function documentFieldsOf(form: Form): DocumentFields | null {
  if (!form.has(NAMES.of)) return null
  return { of: form.text(NAMES.of), days: form.text(NAMES.days), redact: form.raw(NAMES.redact) }
}

/** The form as input for a schema's `keep_documents`; undefined leaves the setting as it is. */
export function keepDocumentsOf(form: Form): object | null | undefined {
  const fields = documentFieldsOf(form)
  if (fields === null) return undefined
  if (fields.of === '') return null
  const paths = fields.redact.split('\n').map((line) => line.trim())
  return {
    of: fields.of,
    days: form.number(NAMES.days) ?? undefined,
    redact: paths.filter((path) => path !== ''),
  }
}
