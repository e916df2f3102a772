import { hasPlace, readsBody, readTemplate, TemplateError, type TemplatePart } from './template.ts'

/** The members of a signature that depend on each other. Those of `hmac` and `public_key` are optional. */
interface SignatureMembers {
  signed: string
  encoding: string
  separator?: string
  timestamp?: { header?: string; member?: string; path?: string }
  id?: { header: string }
  origin?: string
  secret_encoding?: string
  secret_prefix?: string
  format?: string
}

interface Contradiction {
  path: string[]
  message: string
}

/** Members that can never work together, or that would protect nothing. */
export function contradictions(verification: SignatureMembers): Contradiction[] {
  const parts = partsOrFault(verification.signed)
  if (typeof parts === 'string') return [{ path: ['signed'], message: parts }]
  return [
    ...bodyFaults(parts),
    ...timestampFaults(verification, parts),
    ...idFaults(verification, parts),
    ...urlFaults(verification, parts),
    ...secretFaults(verification),
    ...jwsFaults(verification),
  ]
}

function partsOrFault(template: string): TemplatePart[] | string {
  try {
    return readTemplate(template)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return error.message
  }
}

function bodyFaults(parts: TemplatePart[]): Contradiction[] {
  if (signsBody(parts) || readsBody(parts)) return []
  const message =
    'Must have {body} or {body_base64}: else the signature says nothing of the body. Some senders sign values of the body only: {$.a.b}.'
  return [{ path: ['signed'], message }]
}

function signsBody(parts: TemplatePart[]): boolean {
  return hasPlace(parts, 'body') || hasPlace(parts, 'body_base64')
}

function timestampFaults(
  { timestamp, separator }: SignatureMembers,
  parts: TemplatePart[],
): Contradiction[] {
  const isSigned = hasPlace(parts, 'timestamp')
  if (!timestamp) {
    const message = 'Is needed, since "signed" has {timestamp}: say where the time stands.'
    return isSigned ? [{ path: ['timestamp'], message }] : []
  }
  if (timestamp.path !== undefined) {
    const message = '{timestamp} cannot stand in a path of the body, which is signed itself.'
    return isSigned ? [{ path: ['signed'], message }] : []
  }
  if (!isSigned) {
    const message =
      'Protects nothing, since "signed" has no {timestamp}: add it there, or leave this out.'
    return [{ path: ['timestamp'], message }]
  }
  if (timestamp.member === undefined || separator !== undefined) return []
  const message = 'Is a part of the signature header, which then needs a "separator".'
  return [{ path: ['timestamp', 'member'], message }]
}

function idFaults({ id }: SignatureMembers, parts: TemplatePart[]): Contradiction[] {
  const isSigned = hasPlace(parts, 'id')
  if (isSigned === (id !== undefined)) return []
  const message = isSigned
    ? 'Is needed, since "signed" has {id}: name its header.'
    : 'Has no effect, since "signed" has no {id}: leave it out.'
  return [{ path: ['id'], message }]
}

function urlFaults({ origin }: SignatureMembers, parts: TemplatePart[]): Contradiction[] {
  const isSigned = hasPlace(parts, 'url')
  if (isSigned === (origin !== undefined)) return []
  const message = isSigned
    ? 'Is needed, since "signed" has {url}: the origin that the sender calls, such as https://api.example.com.'
    : 'Has no effect, since "signed" has no {url}: leave it out.'
  return [{ path: ['origin'], message }]
}

function secretFaults({ secret_encoding, secret_prefix }: SignatureMembers): Contradiction[] {
  if (secret_prefix === undefined || secret_encoding === 'base64') return []
  const message = 'Is for base64 secrets: of other secrets every character is a part of the key.'
  return [{ path: ['secret_prefix'], message }]
}

function jwsFaults({ format, encoding, separator }: SignatureMembers): Contradiction[] {
  if (format !== 'jws') return []
  const faults: Contradiction[] = []
  if (encoding !== 'base64') {
    faults.push({ path: ['encoding'], message: 'A JWS is always base64: leave this out.' })
  }
  if (separator !== undefined) {
    faults.push({
      path: ['separator'],
      message: 'A JWS stands alone in its header: leave this out.',
    })
  }
  return faults
}
