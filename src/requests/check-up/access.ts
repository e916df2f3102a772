import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { covers } from '../../engine/identity/scopes.ts'
import { mayReadDocuments, spareMemory } from '../../middleware/document-access.ts'
import type { DocumentStore } from './kept-documents.ts'

/** What the caller may learn of a partner beside its requests. */
export interface Sight {
  withKeys: boolean
  withMappings: boolean
  /** Null without the right to read documents, or without a place to keep them. */
  documents: DocumentStore | null
}

export function sightOf(c: Context<AppEnv>): Sight {
  const { key, tenant } = c.get('caller')
  const { DOCUMENTS: bucket } = c.env
  const memory = spareMemory(c)
  return {
    withKeys: covers(key.scopes, 'settings.keys.read'),
    withMappings: covers(key.scopes, 'settings.partners.read'),
    documents:
      bucket && mayReadDocuments(c) ? { bucket, tenant, memory, pace: c.get('db').pace } : null,
  }
}
