import type { Bindings } from '../../engine/env.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { changedMapping, type Mapping } from '../../engine/mapping/schema.ts'
import { listStarters, type Starter } from '../../settings/mapping-starters/starters.ts'
import { SaveMapping } from '../../settings/mappings/schema.ts'
import type { Draft } from './draft.ts'
import { draftOfMapping } from './saved-draft.ts'
import type { Sample } from './trial.ts'

/** The starters for a resource, by name. None if they cannot be read: the editor works without. */
export async function startersFor(env: Bindings, resource: Resource): Promise<Starter[]> {
  const starters = await listStarters(env).catch(() => [])
  return starters.filter((starter) => starter.resource === resource)
}

/** What the editor shows of a starter. What the partner has for outbound records stays. */
export function startFrom(
  resource: Resource,
  { mapping, document }: Starter,
  saved: Mapping | null,
): { draft: Draft; sample: Sample } {
  const draft = draftOfMapping(changedMapping(null, SaveMapping(resource).parse(mapping)))
  const outbound = saved?.outbound ? draftOfMapping(saved).outbound : draft.outbound
  const sample = { method: 'POST', document: JSON.stringify(document, null, 2) }
  return { draft: { ...draft, outbound }, sample }
}
