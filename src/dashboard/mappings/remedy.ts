import * as z from 'zod'
import { byName } from '../../engine/json/by-name.ts'
import type { Form } from '../form/form.ts'
import { BLANK, CONVERSIONS, type Draft, draftOfForm, KINDS } from './draft.ts'

/** A change of one rule that mends what a preview found. */
export interface Remedy {
  label: string
  /** The new cells of the rule with this target. Without such a rule they make a new one. */
  cells: Cells
}

/** The words of a repair that gives some documents a fixed value, and changes no others. */
export const OTHERS_STAY = 'others stay as they are'

/** What to do beside the editor. */
export interface Hint {
  label: string
  /** The page where this is done, if there is one. */
  href: string | null
}

const TEXTS = ['source', 'none', 'text', 'values', 'format', 'zone', 'amount', 'default'] as const

const Cells = z.object({
  target: z.string(),
  kind: z.enum(KINDS).exactOptional(),
  as: z.enum(CONVERSIONS).exactOptional(),
  ...byName(TEXTS, () => z.string().exactOptional()),
})
export type Cells = z.output<typeof Cells>

/** The submitted mapping, with the remedy whose button has submitted it. */
export function draftSent(form: Form): Draft {
  const draft = draftOfForm(form)
  const cells = cellsOf(form.raw('remedy'))
  return cells ? remedied(draft, cells) : draft
}

/** The draft with the change. A new rule stands before those that write below its target. */
export function remedied(draft: Draft, cells: Cells): Draft {
  const { rows } = draft.inbound
  const at = rows.findIndex(({ target }) => target === cells.target)
  const below = rows.findIndex(({ target }) => target.startsWith(cells.target))
  const place = at !== -1 ? at : below !== -1 ? below : rows.length
  const row = { ...BLANK, ...rows[at], ...cells }
  return {
    ...draft,
    inbound: { ...draft.inbound, rows: rows.toSpliced(place, at === -1 ? 0 : 1, row) },
  }
}

function cellsOf(text: string): Cells | null {
  try {
    return Cells.parse(JSON.parse(text))
  } catch {
    return null
  }
}
