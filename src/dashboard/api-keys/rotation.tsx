import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { findApiKey } from '../../settings/api-keys/queries.ts'
import { Confirmation, Select } from '../controls.tsx'
import { showPage } from '../page.tsx'
import { OwnKey } from './own-key.tsx'

const OVERLAPS = [
  ['0', 'at once: it is revoked'],
  ['3600', 'an hour from now'],
  ['86400', 'a day from now'],
  ['604800', 'a week from now'],
] as const

const DEFAULT_OVERLAP = '86400'

/** The form's answer: one of the overlaps, and nothing taken for granted. */
export const Overlap = z.object({ overlap_seconds: z.enum(OVERLAPS.map(([value]) => value)) })

/** When the old key ends, in words. */
export function endOf(overlap: string): string {
  const [, text] = OVERLAPS.find(([value]) => value === overlap) ?? []
  return `The old key ends ${text}.`
}

/** `overlap` as it was chosen, null before anything was. */
export async function showRotation(
  c: Context<AppEnv>,
  id: string,
  overlap: string | null,
  error: ApiError | null,
) {
  const { name } = await findApiKey(c.get('db'), id)
  return showPage(
    c,
    'Rotate API key',
    <Confirmation
      question={`Rotate “${name}”?`}
      action="Rotate key"
      back="/dashboard/api-keys/"
      error={error}
    >
      <p>You get a new key with the same name, scopes, partner, release, rate limit and expiry.</p>
      <Select
        label="The old key ends"
        name="overlap_seconds"
        value={overlap ?? DEFAULT_OVERLAP}
        options={OVERLAPS}
        error={error}
        help="Until then both work, so that the caller can change over without a gap."
      />
      <OwnKey c={c} id={id} text="when it ends, you will be signed out." />
    </Confirmation>,
  )
}
