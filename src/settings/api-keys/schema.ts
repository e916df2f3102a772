import * as z from 'zod'
import { READS } from '../../db/tables.ts'
import { DateTime } from '../../document/date-time.ts'
import { Integer, Name } from '../../document/fields.ts'
import { kindOf, shortened } from '../../document/messages.ts'
import { CURRENT } from '../../releases/release.ts'
import { liveRelease, RELEASES, releasesWith } from '../../releases/table.ts'
import { DisplayName } from '../display-name.ts'

const SCOPES_MAX = 50
const OVERLAP_SECONDS_MAX = 604_800
export const RATE_LIMIT_MAX = 30_000

const Scopes = z
  .array(
    z.string().refine((scope) => releasesWith(scope).length > 0, {
      error: ({ input }) => `There is no scope "${shortened(String(input))}".`,
    }),
  )
  .min(1, { error: 'Name at least one scope.' })
  .max(SCOPES_MAX)
  .transform((scopes) => [...new Set(scopes)])

const ExpiresAt = DateTime.refine((value) => Date.parse(value) > Date.now(), {
  error: 'Must be in the future. To end a key at once, revoke it.',
})

const ReleaseName = z
  .enum(
    RELEASES.map(({ name }) => name),
    {
      error: ({ input }) =>
        typeof input === 'string' || input === undefined
          ? undefined
          : `Must be a string, not ${kindOf(input)}.`,
    },
  )
  .refine((name) => liveRelease(name) !== null, {
    error: 'This release has ended: set it to current.',
  })

/** Requests a minute; the maximum is half of what one Durable Object can count. */
const RateLimit = Integer.min(1).max(RATE_LIMIT_MAX)

export const CreateApiKey = z
  .object({
    name: DisplayName,
    scopes: Scopes.default(['integrations.*']),
    partner_id: Name.nullish(),
    release: ReleaseName.default(CURRENT.name),
    rate_limit: RateLimit.nullish(),
    own_orders_only: z.boolean().default(false),
    reads: z.enum(READS).default('primary'),
    expires_at: ExpiresAt.nullish(),
  })
  .superRefine(refuseForeignScopes)
export type CreateApiKey = z.output<typeof CreateApiKey>

export const UpdateApiKey = z
  .object({
    name: DisplayName.optional(),
    scopes: Scopes.optional(),
    partner_id: Name.nullish(),
    release: ReleaseName.optional(),
    rate_limit: RateLimit.nullish(),
    own_orders_only: z.boolean().optional(),
    reads: z.enum(READS).optional(),
    expires_at: ExpiresAt.nullish(),
  })
  .superRefine(refuseForeignScopes)
export type UpdateApiKey = z.output<typeof UpdateApiKey>

export const RotateApiKey = z.object({
  overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(0),
})
export type RotateApiKey = z.output<typeof RotateApiKey>

interface Granted {
  scopes?: string[] | undefined
  release?: string | undefined
}

/** Messages by position, for scopes that other releases have and this one does not. */
export function foreignScopes(scopes: string[], release: string): Map<number, string> {
  const foreign = new Map<number, string>()
  for (const [position, scope] of scopes.entries()) {
    const owners = releasesWith(scope)
    if (owners.length === 0 || owners.includes(release)) continue
    foreign.set(position, `The scope "${scope}" exists only in release ${owners.join()}.`)
  }
  return foreign
}

/** An update without `release` is for the key's own release: updateApiKey checks it in the database. */
function refuseForeignScopes({ scopes = [], release }: Granted, context: z.RefinementCtx): void {
  if (release === undefined) return
  for (const [position, message] of foreignScopes(scopes, release)) {
    context.addIssue({ code: 'custom', path: ['scopes', position], message })
  }
}
