import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { showPage } from '../shell/page.tsx'
import type { KeyPages, ShownKey } from './key-pages.ts'
import { OwnKey } from './own-key.tsx'

export async function showRevocation<Shown extends ShownKey>(
  c: Context<AppEnv>,
  of: KeyPages<Shown>,
  id: string,
  error: ApiError | null,
) {
  const record = await findKey(of.kindOf(c), c.get('db'), id)
  const { name, hint, version } = record
  return showPage(
    c,
    `Revoke ${of.one}`,
    <Confirmation
      question={`Revoke “${name}”?`}
      action={`Revoke ${of.noun}`}
      look="danger"
      back={of.pageOf(id)}
      version={version}
      error={error}
    >
      {await of.more?.(c, record)}
      <p>
        The next request with <code>{hint}</code> is refused{of.ends}. This cannot be undone.
      </p>
      <OwnKey c={c} id={id} text="you will be signed out." />
    </Confirmation>,
  )
}
