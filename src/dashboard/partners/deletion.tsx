import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { Confirmation } from '../controls/confirmation.tsx'
import { showPage } from '../layout/page.tsx'
import { LIST } from './path.ts'

export async function showDeletion(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name } = await findPartner(c.get('db'), id)
  return showPage(
    c,
    'Delete partner',
    <Confirmation
      question={`Delete “${name}”?`}
      action="Delete partner"
      look="danger"
      back={`${LIST}${id}/`}
      error={error}
    >
      <p>
        Its mappings no longer apply. Its orders and audit rows stay as they are. Revoke or unlink
        its API keys first.
      </p>
    </Confirmation>,
  )
}
