import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findUndoable } from '../../settings/connection-undo.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { connectionPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

interface UndoPlace {
  preset: string
  id: string
}

/** Asks whether to remove what was made. */
export async function showUndo(
  c: Context<AppEnv>,
  { preset, id }: UndoPlace,
  error: ApiError | null,
) {
  const { row, partner, mapping } = await findUndoable(c.get('db'), id)
  const made = [
    ...(partner ? ['the partner'] : []),
    ...(mapping ? ['its mapping'] : []),
    'the webhook',
  ]
  return showPage(
    c,
    'Undo',
    <Confirmation
      question={`Undo “${row.name}”?`}
      action="Undo"
      look="danger"
      back={connectionPath(preset, id)}
      version={row.version}
      error={error}
    >
      <p>
        This removes what was made: {made.join(', ')}. The address no longer takes deliveries. It
        can be undone until the first delivery.
      </p>
    </Confirmation>,
  )
}
