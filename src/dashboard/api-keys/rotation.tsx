import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Select } from '../parts/select.tsx'
import { showPage } from '../shell/page.tsx'
import type { KeyPages, ShownKey } from './key-pages.ts'
import { DEFAULT_OVERLAP, OVERLAPS } from './overlap.ts'
import { OwnKey } from './own-key.tsx'

/** `overlap` is the submitted choice, null before the form was submitted. */
export async function showRotation<Shown extends ShownKey>(
  c: Context<AppEnv>,
  of: KeyPages<Shown>,
  id: string,
  overlap: string | null,
  error: ApiError | null,
) {
  const { name, version } = await findKey(of.kindOf(c), c.get('db'), id)
  return showPage(
    c,
    `Rotate ${of.one}`,
    <Confirmation
      question={`Rotate “${name}”?`}
      action={`Rotate ${of.value}`}
      back={of.pageOf(id)}
      version={version}
      error={error}
    >
      <p>{of.rotated}</p>
      <Select
        label={`The old ${of.value} ends`}
        name="overlap_seconds"
        value={overlap ?? DEFAULT_OVERLAP}
        options={OVERLAPS}
        error={error}
        help={of.overlap}
      />
      <OwnKey c={c} id={id} text="when it ends, you will be signed out." />
    </Confirmation>,
  )
}
