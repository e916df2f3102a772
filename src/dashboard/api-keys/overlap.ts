import * as z from 'zod'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'

/** How long what is replaced stays valid, in seconds. */
export const OVERLAPS = [
  ['0', 'immediately: it is revoked'],
  ['3600', 'in an hour'],
  ['86400', 'in a day'],
  ['604800', 'in a week'],
] as const

export const DEFAULT_OVERLAP = '86400'

export const ROTATION: Shape = { fields: [CONFIRMED, VERSION, 'overlap_seconds'] }

/** The form's field: one of the overlaps, without a default. */
export const Overlap = z.object({ overlap_seconds: z.enum(OVERLAPS.map(([value]) => value)) })

/** When what is replaced ends, in the words of the choice. */
export function endOf(overlap: string): string {
  const [, text] = OVERLAPS.find(([value]) => value === overlap) ?? []
  return text ?? ''
}
