import { env } from 'cloudflare:workers'
import { openPartner, type PartnerOptions } from '../partner.ts'
import { type Answer, type Api, type CallOptions, type Json, unique } from '../tenant.ts'

export const SETTINGS = '/api/settings/v1'

/** A partner whose documents are kept. */
export async function openKept(keep_documents: object | null, options: PartnerOptions = {}) {
  const partner = await openPartner(options)
  await keep(partner.admin, partner.id, keep_documents)
  return partner
}

export async function keep(admin: Api, id: string, keep_documents: object | null): Promise<void> {
  const answer = await admin.put(`${SETTINGS}/partners/${id}/`, { keep_documents })
  if (answer.status !== 200) throw new Error(answer.text)
}

/** An order that is refused, with what should not be stored. */
export const badOrder = () => ({
  order_number: unique('O'),
  customer_info: { email: 'ada@example.com' },
  items: [{ sku_code: 'x', quantity: '1' }],
})

export function idOf({ headers }: Answer): string {
  return headers.get('X-Request-Id') ?? ''
}

/** The answer to a request for the document of this one. */
export async function documentOf(admin: Api, answer: Answer, more?: CallOptions): Promise<Answer> {
  return await admin.get(`${SETTINGS}/audit-log/${idOf(answer)}/document/`, more)
}

/** What the audit log says of a request's document. */
export async function stateOf(admin: Api, answer: Answer): Promise<Json> {
  const { body } = await admin.get(`${SETTINGS}/audit-log/${idOf(answer)}/`)
  return body.data.document
}

/** The keys in R2 that have this in them. */
export async function keysWith(part: string, bucket = env.DOCUMENTS): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const page: R2Objects = await bucket.list({ ...(cursor && { cursor }) })
    keys.push(...page.objects.map(({ key }) => key).filter((key) => key.includes(part)))
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor)
  return keys
}

/** All that is stored of a document, as text. */
export async function storedText(key: string): Promise<string> {
  const object = await env.DOCUMENTS.get(key)
  const body = object?.body.pipeThrough(new DecompressionStream('gzip'))
  return await new Response(body).text()
}
