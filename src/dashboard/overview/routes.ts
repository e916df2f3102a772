import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { filtersOf } from '../form/chosen.ts'
import { showBadView, showOverview } from './page.tsx'
import { viewOf } from './view.ts'

export const overview = new Hono<AppEnv>()

overview.get('/', requireScope('settings.audit.read'), (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadView(c, chosen, error))
  return showOverview(c, chosen, viewOf(chosen))
})
