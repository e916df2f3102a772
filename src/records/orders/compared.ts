import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Address } from '../../engine/identifiers/address.ts'
import { comparedCodes, comparedLines } from './codes.ts'
import { differences } from './differences.ts'
import { noteLines } from './line-differences.ts'
import { updateOrder } from './queries.ts'
import type { UpdateOrder } from './schema.ts'

/**
 * Changes the order, and warns of what else the document says otherwise than the order. `notes`: keeps in what its lines
 * differ.
 */
export async function updateCompared(
  c: Context<AppEnv>,
  address: Address,
  input: UpdateOrder,
  notes = false,
) {
  const { db, caller } = c.var
  const others = c.get('fixed')?.others
  const codes = comparedCodes(others, { codeAt: c.get('codeAt') ?? null, partner: caller.partner })
  const { order, found } = await updateOrder(db, address, input, {
    codes,
    notes: notes ? noteLines(others?.items, codes) : [],
  })
  return { order, warnings: differences(order, comparedLines(others, codes, found)) }
}
