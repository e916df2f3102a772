import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { requireSendAgain } from '../../requests/send-again/access.ts'
import { filtersOf } from '../form/chosen.ts'
import { addRun } from '../run/route.ts'
import { showConfirmation } from './confirmation.tsx'
import { showProgress } from './results.tsx'
import { Result, sendNext } from './run.ts'

/** Sends the failed requests that filters of the audit log find again. */
export const sendingAll = new Hono<AppEnv>()

sendingAll.use(
  '/',
  requireScope('settings.audit.read'),
  requireScope('settings.documents.read'),
  requireSendAgain,
  notForPartners,
)

sendingAll.get('/', (c) => showConfirmation(c, filtersOf(c)))

addRun(sendingAll, { schema: Result, next: sendNext, show: showProgress })
