import { type Answer, type CallOptions, createKey, ORIGIN, send } from '../tenant.ts'
import { filledInAt } from './forms.ts'

export type Fields = Record<string, string | string[]>

export interface Dashboard {
  get: (path: string) => Promise<Answer>
  /** Sends the page's form with these fields filled in. */
  post: (path: string, fields?: Fields) => Promise<Answer>
}

/** The dashboard as the browser of a signed-in administrator sees it; no redirect is followed. */
export async function openDashboard(
  scopes = ['settings.*', 'integrations.*'],
  options: { key?: string } = {},
): Promise<Dashboard> {
  const key = options.key ?? (await createKey(scopes)).value
  const answer = await submit('/dashboard/sign-in/', { key })
  return withCookie(cookieOf(answer))
}

/** The dashboard with this `Cookie` header, or none. */
export function withCookie(cookie: string | null, options: CallOptions = {}): Dashboard {
  const { origin = ORIGIN } = options
  const headers = cookie === null ? {} : { Cookie: cookie }
  return {
    get: (path) => send(new Request(origin + path, { headers, redirect: 'manual' }), options),
    post: (path, fields = {}) => submit(path, filledInAt(path, fields), headers, options),
  }
}

/** As a browser sends a form of its own page, with these fields and no others. */
export function submit(
  path: string,
  fields: Fields = {},
  headers: Record<string, string> = {},
  options: CallOptions = {},
): Promise<Answer> {
  const { origin = ORIGIN } = options
  const body = new URLSearchParams(
    Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value]),
    ),
  )
  const init = { method: 'POST', body, redirect: 'manual' } as const
  const request = new Request(origin + path, { ...init, headers: { Origin: origin, ...headers } })
  return send(request, options)
}

/** The session that an answer sets, as it is sent back. */
export function cookieOf({ headers }: Answer): string {
  return headers.get('Set-Cookie')?.split(';')[0] ?? ''
}
