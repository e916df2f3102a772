import type { Context } from 'hono'
import { html } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import type { AppEnv } from '../env.ts'
import { covers } from '../scopes.ts'
import { noticeOf } from './notice.ts'

// With the page that creates one, which stands at an address of its own.
const AREAS: [path: string, name: string, create?: string][] = [
  ['/dashboard/', 'Overview'],
  ['/dashboard/api-keys/', 'API keys', '/dashboard/new/api-key/'],
  ['/dashboard/partners/', 'Partners', '/dashboard/new/partner/'],
  ['/dashboard/audit-log/?area=integrations', 'Audit log'],
  ['/dashboard/workspace/', 'Workspace'],
]

/** A whole page of the dashboard, with the context's status; before sign-in without navigation. */
export function showPage(
  c: Context<AppEnv>,
  title: string,
  content: unknown,
): Response | Promise<Response> {
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
          <Notice text={noticeOf(c)} />
          {content}
        </main>
      </body>
    </html>
  )
  return c.html(html`<!doctype html>${document}`)
}

/** A sign-in that was refused may have found a caller all the same. */
function isInside(c: Context<AppEnv>): boolean {
  return Boolean(c.get('caller')) && !c.get('exchange').path.startsWith('/dashboard/sign-in/')
}

/** Whether the session's key may change what it sees. */
export function mayWrite(c: Context<AppEnv>): boolean {
  return covers(c.get('caller').key.scopes, 'settings.write')
}

function Header({ c }: { c: Context<AppEnv> }) {
  const { tenant, key, integration_enabled } = c.get('caller')
  const { path } = c.get('exchange')
  return (
    <header>
      <div class="container top">
        <a class="brand" href="/dashboard/">
          <strong>Crossdock</strong> <span>{tenant}</span>
        </a>
        <nav aria-label="Dashboard">
          <ul>
            {AREAS.map(([href, name, create]) => (
              <li>
                <a
                  href={href}
                  aria-current={path === create || isAt(path, href) ? 'page' : undefined}
                >
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <form class="session" method="post" action="/dashboard/sign-out/">
          <a href="/docs/">Reference</a>
          <button
            type="submit"
            class="outline secondary"
            title={`Signed in with the key “${key.name}”`}
          >
            Sign out
          </button>
        </form>
      </div>
      {!integration_enabled && <OffBanner />}
    </header>
  )
}

function OffBanner() {
  return (
    <p class="banner" role="status">
      <span class="container">
        The integration is switched off: every call of partners is refused.{' '}
        <a href="/dashboard/workspace/">Switch it on</a>
      </span>
    </p>
  )
}

function Notice({ text }: { text: string | null }) {
  return text === null ? null : (
    <p class="notice" role="status">
      {text}
    </p>
  )
}

/** A heading with what can be done about its subject beside it. */
export function Heading({ text, children }: PropsWithChildren<{ text: string }>) {
  return (
    <div class="heading">
      <h1>{text}</h1>
      <div class="actions">{children}</div>
    </div>
  )
}

/** The way to the next page of a list, and back to its first; other parameters are kept. */
export function Pager({ c, next }: { c: Context<AppEnv>; next: string | null }) {
  const { url } = c.get('exchange')
  const at = (cursor: string | null) => {
    const parameters = new URLSearchParams(url.search)
    parameters.delete('done')
    parameters.delete('cursor')
    if (cursor !== null) parameters.set('cursor', cursor)
    return `${url.pathname}?${parameters}`
  }
  const isFirst = !url.searchParams.has('cursor')
  return isFirst && next === null ? null : (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <a href={at(null)}>Newest</a>}
      {next !== null && (
        <a href={at(next)} rel="next">
          Older
        </a>
      )}
    </nav>
  )
}

/** What stands where a list would. */
export function Empty({ text, children }: PropsWithChildren<{ text: string }>) {
  return (
    <article class="empty">
      <p>{text}</p>
      {children}
    </article>
  )
}

function isAt(path: string, href: string): boolean {
  const [area = ''] = href.split('?')
  return area === '/dashboard/' ? path === area : path.startsWith(area)
}
