import type { ApiError } from '../../engine/errors.ts'
import {
  IDENTIFIERS,
  identifierField,
  isAddressable,
  type Resource,
} from '../../engine/mapping/identifier.ts'
import { Input } from '../parts/input.tsx'
import type { Draft } from './draft.ts'

export interface IdentifierProps {
  partner: Partner
  resource: Resource
  draft: Draft
  error: ApiError | null
}

export interface Partner {
  id: string
  default_identifier_field: string | null
}

/** Nothing for inventory, which is always addressed by a location code or a SKU. */
export function IdentifierInput({ partner, resource, draft, error }: IdentifierProps) {
  if (!isAddressable(resource)) return null
  const { object } = IDENTIFIERS[resource]
  const byDefault = identifierField(resource, { ...partner, mappings: {} })
  return (
    <Input
      label="Identifier field"
      name="identifier_field"
      value={draft.identifier_field}
      error={error}
      list="identifiers"
      placeholder={byDefault}
      help={`The field that identifies a record in the partner's calls: one of ours, or ${object}.<key>. Leave empty for ${byDefault}.`}
    />
  )
}
