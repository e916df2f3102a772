import type { Bindings } from '../../engine/env.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { changedMapping, type Mapping } from '../../engine/mapping/schema.ts'
import { listStarters, type Starter } from '../../settings/mapping-starters/starters.ts'
import { SaveMapping } from '../../settings/mappings/schema.ts'
import { writeSentLines } from '../documents/sent-lines.ts'
import { Select } from '../parts/select.tsx'
import type { Draft } from './draft.ts'
import { draftOfMapping } from './saved-draft.ts'
import type { Sample } from './trial.ts'

interface ChoiceProps {
  /** The path of the editor. */
  at: string
  starters: Starter[]
  chosen: Starter | undefined
}

/** Fills the editor with a mapping for a well-known system. Nothing is saved by it. */
export function StarterChoice({ at, starters, chosen }: ChoiceProps) {
  if (starters.length === 0) return null
  const options = [
    ['', 'an empty mapping'] as const,
    ...starters.map(({ name, title }) => [name, title] as const),
  ]
  return (
    <>
      <form method="get" action={at} class="starter">
        <Select
          label="Start from"
          name="start"
          value={chosen?.name ?? ''}
          options={options}
          error={null}
        />
        <button type="submit" class="secondary">
          Fill in
        </button>
      </form>
      {chosen && <Notes starter={chosen} />}
    </>
  )
}

function Notes({ starter: { title, notes } }: { starter: Starter }) {
  return (
    <section class="starter-notes" aria-label="Notes on the starter">
      <p>
        Below are rules and a sample document for {title}. Nothing is saved yet.
        {notes.length > 0 && ' What to look at:'}
      </p>
      <ul>
        {notes.map((note) => (
          <li>{note}</li>
        ))}
      </ul>
    </section>
  )
}

/** The starters for a resource, by name. None if they cannot be read: the editor works without. */
export async function startersFor(env: Bindings, resource: Resource): Promise<Starter[]> {
  const starters = await listStarters(env).catch(() => [])
  return starters.filter((starter) => starter.resource === resource)
}

/** What the editor shows of a starter. What the partner has for outbound records stays. */
export function startFrom(
  resource: Resource,
  { mapping, document, content_type, headers = {}, query = {} }: Starter,
  saved: Mapping | null,
): { draft: Draft; sample: Sample } {
  const draft = draftOfMapping(changedMapping(null, SaveMapping(resource).parse(mapping)))
  const outbound = saved?.outbound ? draftOfMapping(saved).outbound : draft.outbound
  const sent = writeSentLines({ headers, query })
  const text = content_type ? String(document) : JSON.stringify(document, null, 2)
  const sample = { method: 'POST', document: text, sent }
  return { draft: { ...draft, outbound }, sample }
}
