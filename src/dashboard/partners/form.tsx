import type { ApiError } from '../../errors.ts'
import { IDENTIFIERS, resourcesWith } from '../../mapping/identifier.ts'
import { Input, Select } from '../controls.tsx'
import type { Form } from '../form.ts'

export interface PartnerFields {
  name: string
  default_identifier_field: string
}

export const NEW_PARTNER: PartnerFields = { name: '', default_identifier_field: '' }

/** What the form holds, as it was filled in. */
export function fieldsOf(form: Form): PartnerFields {
  return {
    name: form.text('name'),
    default_identifier_field: form.text('default_identifier_field'),
  }
}

/** What the settings queries take, once it is checked. */
export function inputOf(form: Form) {
  return {
    name: form.text('name'),
    default_identifier_field: form.optional('default_identifier_field'),
  }
}

const FIELDS = [...new Set(Object.values(IDENTIFIERS).flatMap(({ fields }) => fields))]

interface PartnerInputsProps {
  fields: PartnerFields
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
        help="A shop, an ERP, a marketplace: what calls us."
      />
      <Select
        label="Default identifier"
        name="default_identifier_field"
        value={fields.default_identifier_field}
        options={[['', 'Our own: order_number, sku, code'], ...options]}
        error={error}
        disabled={disabled}
        help="The field by which its keys address a record, where a mapping names no other."
      />
    </>
  )
}
