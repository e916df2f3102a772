import { type Context, Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { findDocument } from '../../engine/log/documents/read.ts'
import { documentsOf, memoryFor, notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body } from '../../middleware/validate.ts'
import { deleteDocument, deletePartnerDocuments } from './queries.ts'

const read = requireScope('settings.documents.read')
const write = requireScope('settings.documents.write')

/** The document of a request. */
export const requestDocumentRoutes = new Hono<AppEnv>()

requestDocumentRoutes.get('/', read, notForPartners, async (c) => {
  return ok(c, await findDocument(documentsOf(c), idOf(c), memoryFor(c)))
})

requestDocumentRoutes.delete('/', write, notForPartners, body(NoFields), async (c) =>
  ok(c, await deleteDocument(documentsOf(c), idOf(c))),
)

/** All documents of a partner. */
export const partnerDocumentsRoutes = new Hono<AppEnv>()

partnerDocumentsRoutes.delete('/', write, notForPartners, body(NoFields), async (c) =>
  ok(c, await deletePartnerDocuments(documentsOf(c), idOf(c))),
)

function idOf(c: Context<AppEnv>): string {
  return c.req.param('id') ?? ''
}
