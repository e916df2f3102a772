import * as z from 'zod'
import { Integer, Name } from '../../fields.ts'

export const RETENTION_DAYS_MAX = 3650

export const UpdateWorkspace = z.object({
  name: Name.min(1).optional(),
  integration_enabled: z.boolean().optional(),
  audit_retention_days: Integer.min(1).max(RETENTION_DAYS_MAX).optional(),
})
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>
