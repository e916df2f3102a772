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
  isThere: (members: SignatureMembers, parts: TemplatePart[]) => boolean
}

const CONTRADICTIONS: Contradiction[] = [
  {
    path: ['signed'],
    message:
      'Must have {body} or {body_base64}: else the signature says nothing of the body. Some senders sign values of the body only: {$.a.b}.',
    isThere: (_, parts) =>
      !hasPlace(parts, 'body') && !hasPlace(parts, 'body_base64') && !readsBody(parts),
  },
  {
    path: ['timestamp'],
    message: 'Is needed, since "signed" has {timestamp}: say where the time stands.',
    isThere: ({ timestamp }, parts) => !timestamp && hasPlace(parts, 'timestamp'),
  },
  {
    path: ['signed'],
    message: '{timestamp} cannot stand in a path of the body, which is signed itself.',
    isThere: ({ timestamp }, parts) =>
      timestamp?.path !== undefined && hasPlace(parts, 'timestamp'),
  },
  {
    path: ['timestamp'],
    message:
      'Protects nothing, since "signed" has no {timestamp}: add it there, or leave this out.',
    isThere: ({ timestamp }, parts) =>
      timestamp !== undefined && timestamp.path === undefined && !hasPlace(parts, 'timestamp'),
  },
  {
    path: ['timestamp', 'member'],
    message: 'Is a part of the signature header, which then needs a "separator".',
    isThere: ({ timestamp, separator }, parts) =>
      timestamp?.member !== undefined &&
      timestamp.path === undefined &&
      separator === undefined &&
      hasPlace(parts, 'timestamp'),
  },
  {
    path: ['id'],
    message: 'Is needed, since "signed" has {id}: name its header.',
    isThere: ({ id }, parts) => id === undefined && hasPlace(parts, 'id'),
  },
  {
    path: ['id'],
    message: 'Has no effect, since "signed" has no {id}: leave it out.',
    isThere: ({ id }, parts) => id !== undefined && !hasPlace(parts, 'id'),
  },
  {
    path: ['origin'],
    message:
      'Is needed, since "signed" has {url}: the origin that the sender calls, such as https://api.example.com.',
    isThere: ({ origin }, parts) => origin === undefined && hasPlace(parts, 'url'),
  },
  {
    path: ['origin'],
    message: 'Has no effect, since "signed" has no {url}: leave it out.',
    isThere: ({ origin }, parts) => origin !== undefined && !hasPlace(parts, 'url'),
  },
  {
    path: ['secret_prefix'],
    message: 'Is for base64 secrets: of other secrets every character is a part of the key.',
    isThere: ({ secret_encoding, secret_prefix }) =>
      secret_prefix !== undefined && secret_encoding !== 'base64',
  },
  {
    path: ['encoding'],
    message: 'A JWS is always base64: leave this out.',
    isThere: ({ format, encoding }) => format === 'jws' && encoding !== 'base64',
  },
  {
    path: ['separator'],
    message: 'A JWS stands alone in its header: leave this out.',
    isThere: ({ format, separator }) => format === 'jws' && separator !== undefined,
  },
]

/** Members that can never work together, or that would protect nothing. */
export function contradictions(verification: SignatureMembers) {
  const parts = partsOrFault(verification.signed)
  if (typeof parts === 'string') return [{ path: ['signed'], message: parts }]
  const found = CONTRADICTIONS.filter(({ isThere }) => isThere(verification, parts))
  // Zod writes into the path of an issue.
  return found.map(({ path, message }) => ({ path: [...path], message }))
}

function partsOrFault(template: string): TemplatePart[] | string {
  try {
    return readTemplate(template)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return error.message
  }
}
