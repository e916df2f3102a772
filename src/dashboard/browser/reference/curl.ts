/** What a request consists of besides its key. */
export interface SentRequest {
  method: string
  url: string
  /** JSON; empty, and none is sent. */
  body: string
  hasKey?: boolean
}

/** The request as a line for a shell, in which `KEY` is the API key. */
export function shellLine({ method, url, body, hasKey = true }: SentRequest): string {
  const isDefault = method === 'GET' || (method === 'POST' && body !== '')
  const parts = [
    `curl -s ${isDefault ? '' : `-X ${method} `}${quoted(url)}`,
    ...(hasKey ? ['-H "X-API-Key: $KEY"'] : []),
    ...(body === '' ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The path with its parameters filled in, and those of the query that have a value. */
export function filledAddress(
  template: string,
  path: Record<string, string>,
  query: Record<string, string>,
): string {
  const filled = template.replace(/\{(\w+)\}/g, (whole, name) =>
    path[name] ? encodeURIComponent(path[name]) : whole,
  )
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  return asked.size > 0 ? `${filled}?${asked}` : filled
}
