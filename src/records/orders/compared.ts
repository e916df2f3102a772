import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Address } from '../../engine/identifiers/address.ts'
import { codesIn } from '../item-codes.ts'
import { comparedCodes, comparedLines } from './codes.ts'
import { differences } from './differences.ts'
import { noteLines } from './line-differences.ts'
import { createOrder, updateOrder } from './queries.ts'
import type { CreateOrder, UpdateOrder } from './schema.ts'

/** Creates the order, and warns of what else the document says otherwise than the order. 409 DUPLICATE as createOrder. */
export async function createCompared(c: Context<AppEnv>, input: CreateOrder, unlessAt?: Address) {
  const { db, caller } = c.var
  const by = { ...codesIn(c), orders_of: caller.orders_of, scopes: caller.key.scopes }
  const { order, warnings } = await createOrder(db, by, input, unlessAt)
  const unlike = differences(order, c.get('fixed')?.others)
  return { order, warnings: [...warnings, ...unlike] }
}

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
  const others = c.get('fixed')?.others
  const codes = comparedCodes(others, codesIn(c))
  const { order, found } = await updateOrder(c.get('db'), address, input, {
    codes,
    notes: notes ? noteLines(others?.items, codes) : [],
  })
  return { order, warnings: differences(order, comparedLines(others, codes, found)) }
}
