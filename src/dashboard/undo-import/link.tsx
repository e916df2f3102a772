import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { LoggedRequest } from '../../requests/audit-log/record.ts'
import { type Import, importWith } from '../../requests/undo/imports.ts'
import { may } from '../access.ts'
import { requestPath, undoImportPath } from '../paths.ts'

/** The import that a request belongs to; null if there is none, or the session's key may not undo it. */
export async function undoableImport(
  c: Context<AppEnv>,
  request: LoggedRequest,
): Promise<Import | null> {
  const found = await importWith(c.get('db'), request)
  return found && mayUndoImport(c, found.resource) ? found : null
}

/** The scopes are those of the undo of one row. */
export function mayUndoImport(c: Context<AppEnv>, resource: Import['resource']): boolean {
  return may(c, 'settings.audit.read') && may(c, `integrations.${resource}.write`)
}

/** Leads from the page of a request to the undo of the import that it belongs to. */
export function ImportLine({ of, request }: { of: Import | null; request: LoggedRequest }) {
  if (of === null) return null
  const { id, resource } = of
  return (
    <p class="related">
      It belongs to an import of {resource}
      {request.request_id !== id && (
        <>
          , whose table <a href={requestPath(id)}>this request</a> has checked
        </>
      )}
      . <a href={undoImportPath(id)}>Undo the whole import</a>
    </p>
  )
}
