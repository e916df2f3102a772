import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { leaveLargeWork } from '../../engine/exchange/memory.ts'
import { formOf } from '../form/read.ts'
import { RUN, type Run, type RunProgress, runOfForm } from './run.ts'

interface Steps<Result> {
  schema: z.ZodType<Result>
  /** Does the next part of the run. What cannot be done just now stays in it. */
  next: (c: Context<AppEnv>, run: Run<Result>) => Promise<RunProgress<Run<Result>>>
  show: (c: Context<AppEnv>, progress: RunProgress<Run<Result>>) => Response | Promise<Response>
}

/** Each submitted form does the next part of its run. */
export function addRun<Result>(routes: Hono<AppEnv>, { schema, next, show }: Steps<Result>): void {
  routes.post('/', async (c) => {
    // Throws if the form has no run. Then the error has its own page.
    const form = await formOf(c, RUN, async (sent, { message }) =>
      show(c, { run: runOfForm(sent, schema), stopped: message }),
    )
    const run = runOfForm(form, schema)
    leaveLargeWork(c)
    const progress = await next(c, run)
    c.get('exchange').record_id = run.ids[0] ?? null
    return show(c, progress)
  })
}
