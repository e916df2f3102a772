import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { leaveLargeWork } from '../../engine/exchange/memory.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { mayWriteSettings } from '../../requests/send-again/access.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { RUN, runOfForm } from '../run/run.ts'
import { showConfirmation } from './confirmation.tsx'
import { showProgress } from './progress.tsx'
import { Result } from './run.ts'
import { sendNext } from './send-next.ts'

/** Sends the failed requests that filters of the audit log find again. */
export const sendingAll = new Hono<AppEnv>()

sendingAll.use(
  '/',
  requireScope('settings.audit.read'),
  requireScope('settings.documents.read'),
  mayWriteSettings,
  notForPartners,
)

sendingAll.get('/', (c) => showConfirmation(c, filtersOf(c)))

sendingAll.post('/', async (c) => {
  // Rejects for a form that has no run: then the error has a page of its own.
  const form = await formOf(c, RUN, async (sent, { message }) =>
    showProgress(c, { run: runOfForm(sent, Result), stopped: message }),
  )
  const run = runOfForm(form, Result)
  leaveLargeWork(c)
  const sent = await sendNext(c, run)
  c.get('exchange').record_id = run.ids[0] ?? null
  return showProgress(c, sent)
})
