import * as z from 'zod'
import { byName } from '../../engine/json/by-name.ts'
import { DateTime } from '../../engine/json/date-time.ts'
import { GivenPause } from '../../settings/pause.ts'
import type { Form } from '../form/form.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'

const AT_TIME = 'until'

/** How long a pause lasts, in seconds; empty for one without an end. */
export const LENGTHS = [
  ['', 'Until somebody resumes it'],
  ['900', '15 minutes'],
  ['3600', 'An hour'],
  ['14400', '4 hours'],
  ['86400', 'A day'],
  [AT_TIME, 'Until the time below'],
] as const

const FIELDS = ['length', 'until', 'note'] as const

/** Without the fields of a pause, the form resumes. */
export const PAUSE: Shape = { fields: [CONFIRMED, VERSION], groups: [{ names: FIELDS, max: 1 }] }

export type PauseFields = Record<(typeof FIELDS)[number], string>

export const NO_FIELDS: PauseFields = { length: '', until: '', note: '' }

export function pauseFieldsOf(form: Form): PauseFields {
  return byName(FIELDS, (name) => form.text(name))
}

/** The form as it is sent, as input for `pause` of a settings record. */
export const SentPause = z
  .object({ length: z.enum(LENGTHS.map(([value]) => value)), until: z.string(), note: z.string() })
  .superRefine(({ length, until }, context) => {
    const message = untilFault(length, until)
    if (message) context.addIssue({ code: 'custom', path: ['until'], message })
  })
  .transform(
    ({ length, until, note }): z.input<typeof GivenPause> => ({
      until: endOf(length, until),
      note: note || null,
    }),
  )
  .pipe(GivenPause)

export function resumes(form: Form): boolean {
  return !form.has('length')
}

function untilFault(length: string, until: string): string | null {
  if (length !== AT_TIME) {
    return until === '' ? null : 'Choose “Until the time below”, or leave this empty.'
  }
  return DateTime.safeParse(until).success ? null : 'Say when the pause ends.'
}

function endOf(length: string, until: string): string | null {
  if (length === '') return null
  return length === AT_TIME ? until : new Date(Date.now() + Number(length) * 1000).toISOString()
}
