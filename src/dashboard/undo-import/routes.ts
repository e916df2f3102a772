import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { lacksScope } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { leaveLargeWork } from '../../engine/exchange/memory.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { findRequest } from '../../requests/audit-log/log.ts'
import { findImport, type Import } from '../../requests/undo/imports.ts'
import { may } from '../access.ts'
import { formOf } from '../form/read.ts'
import { showUndone } from './progress.tsx'
import { showNothing, showQuestion } from './question.tsx'
import { UNDO_RUN, undoOfForm } from './run.ts'
import { undoNext } from './undo-next.ts'

/** Undoes a whole import, below the page of the request that has checked its table. */
export const undoingImports = new Hono<AppEnv>()

undoingImports.use('/:id/undo-import/', requireScope('settings.audit.read'))

undoingImports.get('/:id/undo-import/', async (c) => {
  const id = c.req.param('id')
  const of = await importAt(c, id)
  return of === null ? showNothing(c, id) : await showQuestion(c, of)
})

undoingImports.post('/:id/undo-import/', async (c) => {
  const id = c.req.param('id')
  const of = await importAt(c, id)
  // Throws if the form has no run. Then the error has its own page.
  const form = await formOf(c, UNDO_RUN, async (sent, { message }) =>
    of === null
      ? showNothing(c, id)
      : showUndone(c, of, { run: undoOfForm(sent), stopped: message }),
  )
  const run = undoOfForm(form)
  const exchange = c.get('exchange')
  // The requests that undo its records name this one.
  exchange.record_id = exchange.request_id
  if (of === null) return showNothing(c, id)
  leaveLargeWork(c)
  return await showUndone(c, of, await undoNext(c, of, run))
})

/**
 * The import; null if the database has no row of it, but the log has the request. 404 NOT_FOUND without that, 403
 * SCOPE_MISSING unless the caller may undo its rows.
 */
async function importAt(c: Context<AppEnv>, id: string): Promise<Import | null> {
  const of = await findImport(c.get('db'), id)
  if (of === null) {
    await findRequest(logOf(c), id)
    return null
  }
  const scope = `integrations.${of.resource}.write` as const
  if (!may(c, scope)) throw lacksScope(scope)
  return of
}
