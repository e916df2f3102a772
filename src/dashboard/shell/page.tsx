import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../../engine/env.ts'
import { Header } from './header.tsx'
import { noticeOf } from './notice.ts'

/** Renders a page with the context's status. It has a header with navigation only for a session. */
export function showPage(
  c: Context<AppEnv>,
  title: string,
  content: unknown,
): Response | Promise<Response> {
  const notice = noticeOf(c)
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title} · Crossdock</title>
        <link rel="icon" href="/assets/icon.svg" />
        <link rel="stylesheet" href="/assets/dashboard.css" />
        <script type="module" src="/assets/dashboard.js"></script>
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {isInside(c) && <Header c={c} />}
        <main class="container" id="content">
          {notice !== null && (
            <p class="notice" role="status">
              {notice}
            </p>
          )}
          {content}
        </main>
      </body>
    </html>
  )
  return c.html(html`<!doctype html>${document}`)
}

/** The path counts too: a refused sign-in may have set a caller. */
function isInside(c: Context<AppEnv>): boolean {
  return Boolean(c.get('caller')) && !c.get('exchange').path.startsWith('/dashboard/sign-in/')
}
