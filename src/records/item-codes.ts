import type { Context } from 'hono'
import type { CodeMode } from '../engine/db/item-codes.ts'
import type { AppEnv } from '../engine/env.ts'
import type { CodeAt, CodeKind } from '../engine/mapping/item-code.ts'

/** Whose codes a document has, and where. */
export interface DocumentCodes {
  /** Null if none of its texts is a code. */
  codeAt: CodeAt | null
  partner: { id: string } | null
}

/** Those of the request's document. */
export function codesIn(c: Context<AppEnv>): DocumentCodes {
  return { codeAt: c.get('codeAt') ?? null, partner: c.get('caller').partner }
}

const OWN: Record<CodeKind, string> = {
  products: 'no product has this SKU',
  locations: 'no location has this code',
}

/** The message of an item code that is unknown. */
export function noItemCode(code: string, kind: CodeKind, mode: CodeMode): string {
  const own = mode === 'or_own' ? `, and ${OWN[kind]}` : ''
  return `The partner has no item code "${code}" for ${kind}${own}. Enter what it stands for in the item codes of the partner.`
}

/** The item codes that such messages name. Of a code that a message shortens nobody knows the rest. */
export function codesNamedIn(text: string, kind: CodeKind): string[] {
  const named = text.matchAll(/has no item code "(.*?)" for (products|locations)[.,]/g)
  return Array.from(named, ([, code = '', of]) => ({ code, of }))
    .filter(({ code, of }) => of === kind && !code.endsWith('…'))
    .map(({ code }) => code)
}
