import type { Starter } from '../../settings/mapping-starters/starters.ts'
import { Select } from '../parts/select.tsx'

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
