import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import { showPage } from './page.tsx'

/** A page that is one form, or little text, below its title. */
export function showNarrowPage(c: Context<AppEnv>, title: string, content: Child) {
  return showPage(
    c,
    title,
    <article class="narrow">
      <h1>{title}</h1>
      {content}
    </article>,
  )
}
