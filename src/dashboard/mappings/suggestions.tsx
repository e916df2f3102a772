import { IDENTIFIERS, isAddressable, type Resource } from '../../engine/mapping/identifier.ts'
import { recordFieldsOf, targetsOf } from './known-fields.ts'

/** The id of a list is the name of its input, in the plural. The script reads the kinds of our fields from it. */
export function Suggestions({ resource }: { resource: Resource }) {
  const identifiers = isAddressable(resource) ? IDENTIFIERS[resource].fields : []
  return (
    <>
      <Suggested id="identifiers" texts={identifiers} />
      <datalist id="inbound.targets">
        {targetsOf(resource).map(({ path, kind, methods }) => (
          <option value={path} data-kind={kind} data-methods={methods.join(' ')} />
        ))}
      </datalist>
      <Suggested id="inbound.sources" texts={[]} />
      <Suggested id="outbound.sources" texts={recordFieldsOf(resource)} />
    </>
  )
}

function Suggested({ id, texts }: { id: string; texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option value={text} />
      ))}
    </datalist>
  )
}
