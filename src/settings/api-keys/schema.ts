import * as z from 'zod'
import { DateTime, Name } from '../../fields.ts'
import { shortened } from '../../messages.ts'
import { isGrantable } from '../../scopes.ts'

const SCOPES_MAX = 50
const OVERLAP_SECONDS_MAX = 604_800

const Scopes = z
  .array(
    z.string().refine(isGrantable, {
      error: ({ input }) => `There is no scope "${shortened(String(input))}".`,
    }),
  )
  .min(1, { error: 'Name at least one scope.' })
  .max(SCOPES_MAX)
  .transform((scopes) => [...new Set(scopes)])

const ExpiresAt = DateTime.refine((value) => Date.parse(value) > Date.now(), {
  error: 'Must be in the future. To end a key at once, revoke it.',
})

export const CreateApiKey = z.object({
  name: Name.min(1),
  scopes: Scopes.default(['integrations.*']),
  partner_id: Name.nullish(),
  expires_at: ExpiresAt.nullish(),
})
export type CreateApiKey = z.output<typeof CreateApiKey>

export const UpdateApiKey = z.object({
  name: Name.min(1).optional(),
  scopes: Scopes.optional(),
  partner_id: Name.nullish(),
  expires_at: ExpiresAt.nullish(),
})
export type UpdateApiKey = z.output<typeof UpdateApiKey>

export const RotateApiKey = z.object({
  overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(0),
})
export type RotateApiKey = z.output<typeof RotateApiKey>
