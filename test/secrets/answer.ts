import { isKey, type KeySearch } from './search.ts'

/** An answer and what it answers. */
export interface Exchange {
  method: string
  url: string
  status: number
  headers: Headers
  text: string
}

const CREATION = /^\/api\/settings\/v1\/api-keys\/(?:[^/]+\/rotate\/)?$/
const FORM = /^\/dashboard\/(?:new\/api-key|api-keys\/[^/]+\/rotate)\/$/

/** Looks for keys in headers and body, but for the place where a new key is shown, this once. */
export function lookAtAnswer(search: KeySearch, exchange: Exchange): void {
  const { method, url, headers } = exchange
  const where = `the answer to ${method} ${new URL(url).pathname}`
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  search.look(`the headers of ${where}`, lines.join('\n'))
  search.look(where, withoutNewKey(search, exchange))
}

/** The response is still to be read by whoever has asked. */
export async function lookAtResponse(
  search: KeySearch,
  method: string,
  url: string,
  response: Response,
): Promise<void> {
  const { status, headers } = response
  // One that breaks off does so for its reader as well.
  const text = await response
    .clone()
    .text()
    .catch(() => '')
  lookAtAnswer(search, { method, url, status, headers, text })
}

/** Each place is left out once; a key that was shown before is left where it is. */
function withoutNewKey(search: KeySearch, exchange: Exchange): string {
  const { text } = exchange
  const [key, placesOf] = newKeyOf(exchange) ?? []
  if (!isKey(key) || !placesOf || !search.show(key)) return text
  return placesOf(key).reduce((rest, place) => rest.replace(place, ''), text)
}

type PlacesOf = (key: string) => string[]

const inData: PlacesOf = (key) => [`"key":"${key}"`]

/** Itself and a line to paste, each as it is read and as it is copied. */
const onPage: PlacesOf = (key) => [
  `<code class="value">${key}</code>`,
  `data-copy="${key}"`,
  `X-API-Key: ${key}&#39;</code>`,
  `X-API-Key: ${key}&#39;"`,
]

function newKeyOf({ method, url, status, text }: Exchange): [unknown, PlacesOf] | null {
  const { pathname } = new URL(url)
  if (method !== 'POST' || status !== 201) return null
  if (CREATION.test(pathname)) return [JSON.parse(text).data?.key, inData]
  return FORM.test(pathname)
    ? [/<code class="value">([^<]*)<\/code>/.exec(text)?.[1], onPage]
    : null
}
