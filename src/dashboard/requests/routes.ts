import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { undoingImports } from '../undo-import/routes.ts'
import { showRequest } from './page.tsx'
import { sendingAgain } from './send-again.tsx'
import { undo } from './undo.tsx'

/** The page of a request, and what is done to a request from there. They are below the audit log. */
export const requestPages = new Hono<AppEnv>()

requestPages.get('/:id/', requireScope('settings.audit.read'), async (c) =>
  showRequest(c, c.req.param('id')),
)
requestPages.route('/', sendingAgain)
requestPages.route('/', undo)
requestPages.route('/', undoingImports)
