import { IDENTIFIERS, identifierField, isAddressable } from '../../mapping/identifier.ts'
import { Input } from '../controls/input.tsx'
import type { EditorProps } from './editor.tsx'

/** Nothing for inventory, which is always addressed by a location code or a SKU. */
export function IdentifierInput({ partner, resource, draft, error }: EditorProps) {
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
