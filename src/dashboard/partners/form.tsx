import type * as z from 'zod'
import type { ApiError } from '../../engine/errors.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { IDENTIFIERS, resourcesWith } from '../../engine/mapping/identifier.ts'
import { stateAs } from '../../settings/history/schema.ts'
import { Partner } from '../../settings/partners/schema.ts'
import {
  DOCUMENTS,
  type DocumentFields,
  documentFieldsOf,
  keepDocumentsOf,
  savedDocuments,
} from '../documents/form.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { Input } from '../parts/input.tsx'
import { Select } from '../parts/select.tsx'

export const NEW_PARTNER_FORM: Shape = { fields: ['name', 'default_identifier_field'] }

export const PARTNER_FORM: Shape = {
  fields: [...NEW_PARTNER_FORM.fields, VERSION],
  groups: [DOCUMENTS],
}

export interface PartnerFields {
  name: string
  default_identifier_field: string
  /** Null in a form that cannot change them. */
  documents: DocumentFields | null
  /** Empty for a new partner. */
  version: string
}

export const NEW_PARTNER: PartnerFields = {
  name: '',
  default_identifier_field: '',
  documents: null,
  version: '',
}

const FormerPartner = Partner.Shown.pick({
  name: true,
  default_identifier_field: true,
  keep_documents: true,
})

type SavedPartner = z.output<typeof FormerPartner> & { version?: number }

/** The fields of a partner as the history has it; null if that has another shape. */
export function formerFields(state: JsonObject | null) {
  const partner = stateAs(FormerPartner, state)
  return partner && savedFields(partner)
}

export function savedFields(partner: SavedPartner) {
  return {
    name: partner.name,
    default_identifier_field: partner.default_identifier_field ?? '',
    documents: savedDocuments(partner.keep_documents),
    version: String(partner.version ?? ''),
  }
}

export type SavedFields = ReturnType<typeof savedFields>

/** The form's fields as they were filled in. */
export function fieldsOf(form: Form): PartnerFields {
  return {
    name: form.text('name'),
    default_identifier_field: form.text('default_identifier_field'),
    documents: documentFieldsOf(form),
    version: form.text(VERSION),
  }
}

/** The form as input for the bodies of Partner. */
export function inputOf(form: Form) {
  return {
    name: form.text('name'),
    default_identifier_field: form.optional('default_identifier_field'),
    keep_documents: keepDocumentsOf(form),
  }
}

const FIELDS = [...new Set(Object.values(IDENTIFIERS).flatMap(({ fields }) => fields))]

interface PartnerInputsProps {
  fields: Pick<PartnerFields, 'name' | 'default_identifier_field'>
  error: ApiError | null
  disabled?: boolean
}

export function PartnerInputs({ fields, error, disabled = false }: PartnerInputsProps) {
  const options = FIELDS.map(
    (field) => [field, `${field} (${resourcesWith(field).join(', ')})`] as const,
  )
  return (
    <>
      <Input
        label="Name"
        name="name"
        value={fields.name}
        error={error}
        required
        disabled={disabled}
        help="The system that calls the API, such as a shop, an ERP or a marketplace."
      />
      <Select
        label="Default identifier"
        name="default_identifier_field"
        value={fields.default_identifier_field}
        options={[['', 'Our own: order_number, sku, code'], ...options]}
        error={error}
        disabled={disabled}
        help="The field that identifies a record in the partner's calls, unless a mapping names another."
      />
    </>
  )
}
