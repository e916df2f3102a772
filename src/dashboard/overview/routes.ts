import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { homeOf, may } from '../access.ts'
import { filtersOf } from '../form/chosen.ts'
import { showBadView, showOverview } from './page.tsx'
import { viewOf } from './view.ts'

export const overviewPages = new Hono<AppEnv>()

overviewPages.get('/', async (c) => {
  // The address of the dashboard leads a key with few scopes to its first page.
  if (!may(c, 'settings.audit.read')) return c.redirect(homeOf(c), 303)
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadView(c, chosen, error))
  return await showOverview(c, chosen, viewOf(chosen))
})
