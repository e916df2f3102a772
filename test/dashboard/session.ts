import { type Answer, createKey, ORIGIN, send } from '../tenant.ts'

export type Fields = Record<string, string | string[]>

export interface Dashboard {
  get: (path: string) => Promise<Answer>
  post: (path: string, fields?: Fields) => Promise<Answer>
}

/** The dashboard as the browser of a signed-in administrator sees it; no redirect is followed. */
export async function openDashboard(
  scopes = ['settings.*'],
  options: { key?: string } = {},
): Promise<Dashboard> {
  const key = options.key ?? (await createKey(scopes)).value
  const answer = await submit('/dashboard/sign-in/', { key })
  return withCookie(cookieOf(answer))
}

/** The dashboard with this `Cookie` header, or none. */
export function withCookie(cookie: string | null): Dashboard {
  const headers = cookie === null ? {} : { Cookie: cookie }
  return {
    get: (path) => send(new Request(ORIGIN + path, { headers, redirect: 'manual' })),
    post: (path, fields) => submit(path, fields, headers),
  }
}

/** As a browser sends a form of its own page. */
export function submit(
  path: string,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams(
    Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value]),
    ),
  )
  const init = { method: 'POST', body, redirect: 'manual' } as const
  return send(new Request(ORIGIN + path, { ...init, headers: { Origin: ORIGIN, ...headers } }))
}

/** The session that an answer sets, as it is sent back. */
export function cookieOf({ headers }: Answer): string {
  return headers.get('Set-Cookie')?.split(';')[0] ?? ''
}
