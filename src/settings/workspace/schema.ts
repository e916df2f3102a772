import * as z from 'zod'
import { Integer } from '../../document/fields.ts'
import { KeepDocuments } from '../../documents/policy.ts'
import { DisplayName } from '../display-name.ts'

export const RETENTION_DAYS_MAX = 3650
export const UNDO_DAYS_MAX = 90

export const UpdateWorkspace = z.object({
  name: DisplayName.optional(),
  integration_enabled: z.boolean().optional(),
  audit_retention_days: Integer.min(1).max(RETENTION_DAYS_MAX).optional(),
  /** How long rows of the audit log stay in the database; then they move to the archive. */
  audit_hot_days: Integer.min(1).max(RETENTION_DAYS_MAX).optional(),
  /** How long what writes replace is kept, and at most as long as the audit log. */
  undo_days: Integer.min(0).max(UNDO_DAYS_MAX).optional(),
  /** Of keys without a partner. */
  keep_documents: KeepDocuments.nullish(),
})
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>
