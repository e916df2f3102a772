import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { recordPath } from '../paths.ts'

interface RecordLinkProps {
  resource: AddressableResource
  name: string
  /** The ids by name, of the records that the session's key may see. */
  ids: Map<string, string>
}

/** The record's name, with a link to its page if the session's key may see that. */
export function RecordLink({ resource, name, ids }: RecordLinkProps) {
  const id = ids.get(name)
  return id === undefined ? name : <a href={recordPath(resource, id)}>{name}</a>
}
