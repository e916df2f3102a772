import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { Select } from '../parts/select.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { OwnKey } from './own-key.tsx'

const OVERLAPS = [
  ['0', 'immediately: it is revoked'],
  ['3600', 'in an hour'],
  ['86400', 'in a day'],
  ['604800', 'in a week'],
] as const

const DEFAULT_OVERLAP = '86400'

export const ROTATION: Shape = { fields: [CONFIRMED, VERSION, 'overlap_seconds'] }

/** The form's field: one of the overlaps, without a default. */
export const Overlap = z.object({ overlap_seconds: z.enum(OVERLAPS.map(([value]) => value)) })

/** A sentence that says when the old key ends. */
export function endOf(overlap: string): string {
  const [, text] = OVERLAPS.find(([value]) => value === overlap) ?? []
  return `The old key ends ${text}.`
}

/** `overlap` is the submitted choice, null before the form was submitted. */
export async function showRotation(
  c: Context<AppEnv>,
  id: string,
  overlap: string | null,
  error: ApiError | null,
) {
  const { name, version } = await findKey(API_KEY, c.get('db'), id)
  return showPage(
    c,
    'Rotate API key',
    <Confirmation
      question={`Rotate “${name}”?`}
      action="Rotate key"
      back={API_KEYS_PATH}
      version={version}
      error={error}
    >
      <p>
        You get a new key with the same name, scopes, partner, orders, release, rate limit and
        expiry.
      </p>
      <Select
        label="The old key ends"
        name="overlap_seconds"
        value={overlap ?? DEFAULT_OVERLAP}
        options={OVERLAPS}
        error={error}
        help="Both keys work until then, so the caller can switch without a gap."
      />
      <OwnKey c={c} id={id} text="when it ends, you will be signed out." />
    </Confirmation>,
  )
}
