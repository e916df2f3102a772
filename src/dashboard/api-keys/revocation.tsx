import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findApiKey } from '../../settings/api-keys/queries.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { OwnKey } from './own-key.tsx'

export async function showRevocation(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name, hint } = await findApiKey(c.get('db'), id)
  return showPage(
    c,
    'Revoke API key',
    <Confirmation
      question={`Revoke “${name}”?`}
      action="Revoke key"
      look="danger"
      back={API_KEYS_PATH}
      error={error}
    >
      <p>
        The next request with <code>{hint}</code> is refused. This cannot be undone.
      </p>
      <OwnKey c={c} id={id} text="you will be signed out." />
    </Confirmation>,
  )
}
