import * as z from 'zod'
import { Name } from '../../fields.ts'

export const UpdateWorkspace = z.object({
  name: Name.min(1).optional(),
  integration_enabled: z.boolean().optional(),
})
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>
