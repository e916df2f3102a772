import { app } from '../src/app.ts'

/** What the app answers below a path, as `GET /api/.../`; middleware, which is for all methods, aside. */
export function routesBelow(prefix: string): string[] {
  const routes = app.routes.filter(
    ({ method, path }) => method !== 'ALL' && path.startsWith(prefix),
  )
  return [...new Set(routes.map(({ method, path }) => `${method} ${path}`))].toSorted()
}
