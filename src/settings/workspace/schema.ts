import * as z from 'zod'
import { Integer, Label } from '../../document/fields.ts'
import { KeepDocuments } from '../../documents/policy.ts'

export const RETENTION_DAYS_MAX = 3650

export const UpdateWorkspace = z.object({
  name: Label.optional(),
  integration_enabled: z.boolean().optional(),
  audit_retention_days: Integer.min(1).max(RETENTION_DAYS_MAX).optional(),
  /** Of keys without a partner. */
  keep_documents: KeepDocuments.nullish(),
})
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>
