import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { PARTNERS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

export async function showDeletion(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name } = await findPartner(c.get('db'), id)
  return showPage(
    c,
    'Delete partner',
    <Confirmation
      question={`Delete “${name}”?`}
      action="Delete partner"
      look="danger"
      back={`${PARTNERS_PATH}${id}/`}
      error={error}
    >
      <p>
        Its mappings no longer apply. Its orders and audit rows stay as they are. Revoke or unlink
        its API keys first.
      </p>
    </Confirmation>,
  )
}
