import { getTableName, sql } from 'drizzle-orm'
import { orderWords } from '../../engine/db/order-word-tables.ts'
import { orders } from '../../engine/db/tables.ts'
import { AT_SEQ, type SearchRequest, searchAlong, type Walk } from '../../engine/db/walks.ts'
import {
  type IndexedField,
  identifierWalkBy,
  indexedColumn,
} from '../../engine/identifiers/in-use.ts'
import { caseVariants } from '../../engine/json/search/letter-case.ts'
import { wordsOf } from '../../engine/json/search/words.ts'
import { BY_SEQ, identifierWalk, nameWalks } from '../walks.ts'

const { id, order_number, external_order_id, customer_name, status, created_at } = orders

/** A shorter text begins the ids of many orders, and nobody means those. */
const PART_OF_ID = /^[0-9a-f-]{8,36}$/

/** Numbers mostly grow, so that the newest are first. */
const DESCENDING = { ...BY_SEQ, isDescending: true }

const byNumber: Walk = { ...identifierWalk(order_number), ...DESCENDING }
const byExternalId: Walk = {
  ...identifierWalk(external_order_id),
  isDescending: true,
  newest: sql`created_at desc, created_seq desc`,
  after: sql`(created_at, created_seq) < ((select created_at from orders where seq = ${AT_SEQ}), ${AT_SEQ})`,
}
const byId = identifierWalk(id)
const WORDS = {
  table: getTableName(orderWords),
  word: orderWords.word.name,
  of: orderWords.order_seq.name,
  wordsOf,
}
const BY_CREATED_SEQ = { newest: sql`created_seq desc`, after: sql`created_seq < ${AT_SEQ}` }

/**
 * Orders by order number, external id, customer name, or a field of `indexed`, exact or by their beginning, and by later
 * words of number and name. Those of which an identifier matches come first, and those with a later word last.
 */
export function orderSearch(request: SearchRequest, indexed: IndexedField[]) {
  // The customer's name has an index of its own, for any case.
  const fields = indexed.filter(
    ({ resource, field }) => resource === 'orders' && field !== customer_name.name,
  )
  const walks = [
    byNumber,
    byExternalId,
    ...fields.map((field) => identifierWalkBy(field, DESCENDING)),
    ...(PART_OF_ID.test(request.text) ? [byId] : []),
    ...nameWalks(customer_name, request.text, BY_CREATED_SEQ),
  ]
  const columns = { id, order_number, external_order_id, customer_name, status, created_at }
  const words = { ...WORDS, texts: caseVariants(request.text) }
  const used = fields.map(indexedColumn)
  return searchAlong({ table: 'orders', columns, walks, words, used }, request)
}
