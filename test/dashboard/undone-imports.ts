import type { Fields } from '../fixtures/forms.ts'
import type { Dashboard } from '../fixtures/session.ts'
import type { Answer } from '../fixtures/tenant.ts'
import { hiddenIn, importAll } from './imports.ts'

export const undoOf = (check: string) => `/dashboard/audit-log/${check}/undo-import/`

/** Imports a table; gives the request that has checked it. */
export async function importedBy(dashboard: Dashboard, document: string, resource = 'products') {
  const { checked } = await importAll(dashboard, resource, document)
  return checked.headers.get('X-Request-Id') ?? ''
}

/** The hidden fields of the form that undoes the next part; null if the page has none. */
export function undoIn({ text }: Answer): Fields | null {
  const [, form = ''] = /<main.*?<form method="post"[^>]*>(.*?)<\/form>/s.exec(text) ?? []
  return form.includes('name="until"') ? hiddenIn(form) : null
}

/** Sends the form that goes on, until there is none. */
export async function undoOn(dashboard: Dashboard, check: string, from: Answer): Promise<Answer> {
  let page = from
  for (let fields = undoIn(page); fields; fields = undoIn(page)) {
    page = await dashboard.post(undoOf(check), fields)
  }
  return page
}

/** Undoes an import as the page does. */
export async function undoAll(dashboard: Dashboard, check: string) {
  const asked = await dashboard.get(undoOf(check))
  return { asked, done: await undoOn(dashboard, check, asked) }
}
