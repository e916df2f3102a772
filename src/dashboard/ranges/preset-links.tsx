import type { ApiError } from '../../engine/errors.ts'
import { messagesOf } from '../parts/field.tsx'
import { type PageFilters, pathWith } from '../paths.ts'
import { PRESET_NAMES, PRESETS, type PresetName } from './range.ts'

interface PresetLinksProps {
  /** The page's path. */
  at: string
  /** The filters that the links keep. A range among them is replaced. */
  kept: PageFilters
  chosen: PresetName | undefined
  /** What a page without a range shows, if that is no preset. */
  all?: { text: string; isChosen: boolean }
}

export function PresetLinks({ at, kept, chosen, all }: PresetLinksProps) {
  const { range, from, to, cursor, ...filters } = kept
  return (
    <nav aria-label="Range">
      <ul class="ranges">
        {all && <ChoiceLink href={pathWith(at, filters)} text={all.text} isChosen={all.isChosen} />}
        {PRESET_NAMES.map((name) => (
          <ChoiceLink
            href={pathWith(at, { range: name, ...filters })}
            text={PRESETS[name].text}
            isChosen={name === chosen}
          />
        ))}
      </ul>
    </nav>
  )
}

/** A link of a row of choices. */
export function ChoiceLink({
  href,
  text,
  isChosen,
}: {
  href: string
  text: string
  isChosen: boolean
}) {
  return (
    <li>
      <a href={href} aria-current={isChosen ? 'true' : undefined}>
        {text}
      </a>
    </li>
  )
}

/** The preset of a page in its form, which keeps it unless a range is entered. Not one that was refused. */
export function KeptPreset({ chosen, error }: { chosen: PageFilters; error: ApiError | null }) {
  if (chosen.range === undefined || messagesOf(error, 'range').length > 0) return null
  return <input type="hidden" name="range" value={chosen.range} />
}
