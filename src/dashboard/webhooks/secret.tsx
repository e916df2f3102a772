import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { DEFAULT_OVERLAP, OVERLAPS } from '../api-keys/overlap.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { Input } from '../parts/input.tsx'
import { Select } from '../parts/select.tsx'
import { webhookPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

export const SECRET: Shape = { fields: [CONFIRMED, VERSION, 'secret', 'overlap_seconds'] }

/** `overlap` is the submitted choice, null before the form was submitted. A secret is never shown again. */
export async function showSecret(
  c: Context<AppEnv>,
  id: string,
  overlap: string | null,
  error: ApiError | null,
) {
  const { name, version, secrets } = await findKey(webhooksOf(c), c.get('db'), id)
  const isFirst = secrets.length === 0
  return showPage(
    c,
    'Secret of a webhook',
    <Confirmation
      question={isFirst ? `Enter the secret of “${name}”` : `Change the secret of “${name}”?`}
      action="Save secret"
      back={webhookPath(id)}
      version={version}
      error={error}
    >
      <p>
        It is what the sender signs with, or sends. It is stored encrypted, and no page or response
        shows it.
      </p>
      <SecretInput error={error} required />
      {isFirst ? (
        <input type="hidden" name="overlap_seconds" value="0" />
      ) : (
        <Select
          label="The old secret ends"
          name="overlap_seconds"
          value={overlap ?? DEFAULT_OVERLAP}
          options={OVERLAPS.map(([value, text]) => [value, text.replace(/:.*/, '')] as const)}
          error={error}
          help="Both secrets work until then, so the sender can switch without a gap."
        />
      )}
    </Confirmation>,
  )
}

interface SecretInputProps {
  error: ApiError | null
  required?: boolean
  help?: string
}

/** Empty also in a form that is shown again. */
export function SecretInput({ error, required = false, help }: SecretInputProps) {
  return (
    <Input
      label="Secret"
      name="secret"
      type="password"
      value=""
      autocomplete="off"
      required={required}
      error={error}
      help={`${help ?? 'As the sender has it, or as you enter it there as well.'} Spaces at its ends are left out.`}
    />
  )
}
