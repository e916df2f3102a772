import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { PARTNERS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { type PartnerFields, PartnerInputs } from './form.tsx'

export function showNewPartner(c: Context<AppEnv>, fields: PartnerFields, error: ApiError | null) {
  return showPage(
    c,
    'Create a partner',
    <article class="narrow">
      <h1>Create a partner</h1>
      <form method="post">
        <FormError error={error} />
        <PartnerInputs fields={fields} error={error} />
        <FormButtons action="Create partner" back={PARTNERS_PATH} />
      </form>
    </article>,
  )
}
