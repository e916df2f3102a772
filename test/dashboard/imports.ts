import type { Fields } from '../fixtures/forms.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import type { Dashboard } from '../fixtures/session.ts'
import type { Answer } from '../fixtures/tenant.ts'

export const importOf = (resource: string) => `/dashboard/import/${resource}/`

const FIELD = /<input type="hidden" name="([^"]*)" value="([^"]*)"/g

const decoded = (value: string) =>
  value
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The hidden fields of the form that goes on; null if the page has none. */
export function carriedBy({ text }: Answer): Fields | null {
  const [, form] = /<form method="post"(?: action="[^"]*run\/")?( data-goes-on="")?>(.*?)<\/form>/s
    .exec(text)
    ?.slice(1) ?? [undefined, undefined]
  if (form === undefined || !form.includes('name="rows"')) return null
  return hiddenIn(form)
}

export function hiddenIn(form: string): Fields {
  return Object.fromEntries(
    Array.from(form.matchAll(FIELD), ([, name = '', value = '']) => [name, decoded(value)]),
  )
}

/** Checks a table, and imports it part by part as the page does. */
export async function importAll(dashboard: Dashboard, resource: string, document: string) {
  const checked = await dashboard.post(importOf(resource), { document })
  return { checked, done: await goOn(dashboard, resource, checked) }
}

/** Sends the form that goes on, until there is none. */
export async function goOn(dashboard: Dashboard, resource: string, from: Answer): Promise<Answer> {
  let page = from
  for (let fields = carriedBy(page); fields; fields = carriedBy(page)) {
    page = await dashboard.post(`${importOf(resource)}run/`, fields)
  }
  return page
}

/** The numbers of a page, by what they count. */
export function numbersOf({ text }: Answer): Record<string, number> {
  const [, list = ''] = /<dl class="totals">(.*?)<\/dl>/s.exec(text) ?? []
  const pairs = list.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)
  return Object.fromEntries(Array.from(pairs, ([, name, value]) => [name, Number(value)]))
}

export { wordsOf }
