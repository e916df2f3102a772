import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { type MappingPlace, mappingPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

export async function showDeletion(
  c: Context<AppEnv>,
  place: MappingPlace,
  error: ApiError | null,
) {
  const { name } = await findPartner(c.get('db'), place.partnerId)
  return showPage(
    c,
    'Delete mapping',
    <Confirmation
      question={`Delete the mapping of ${place.resource}?`}
      action="Delete mapping"
      look="danger"
      back={mappingPath(place)}
      error={error}
    >
      <p>
        From the next request on, the {place.resource} of “{name}” are no longer mapped.
      </p>
    </Confirmation>,
  )
}
