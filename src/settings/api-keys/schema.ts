import * as z from 'zod'
import { DateTime, Integer, Name } from '../../fields.ts'
import { kindOf, shortened } from '../../messages.ts'
import { CURRENT } from '../../releases/release.ts'
import { liveRelease, RELEASES, releasesWith } from '../../releases/table.ts'

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
  .refine((name) => liveRelease(name) !== null, { error: 'This release has ended.' })

/** Requests a minute: half of what one Durable Object can count. */
const RateLimit = Integer.min(1).max(RATE_LIMIT_MAX)

export const CreateApiKey = z
  .object({
    name: Name.min(1),
    scopes: Scopes.default(['integrations.*']),
    partner_id: Name.nullish(),
    release: ReleaseName.default(CURRENT.name),
    rate_limit: RateLimit.nullish(),
    expires_at: ExpiresAt.nullish(),
  })
  .superRefine(refuseForeignScopes)
export type CreateApiKey = z.output<typeof CreateApiKey>

export const UpdateApiKey = z
  .object({
    name: Name.min(1).optional(),
    scopes: Scopes.optional(),
    partner_id: Name.nullish(),
    release: ReleaseName.optional(),
    rate_limit: RateLimit.nullish(),
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

/** What is wrong with scopes that other releases have and this one has not, by their places. */
export function foreignScopes(scopes: string[], release: string): Map<number, string> {
  const foreign = new Map<number, string>()
  for (const [position, scope] of scopes.entries()) {
    const owners = releasesWith(scope)
    if (owners.length === 0 || owners.includes(release)) continue
    foreign.set(position, `There is no scope "${scope}" but in release ${owners.join()}.`)
  }
  return foreign
}

/** Without a release in it, an update is for the key's own: the database is asked. */
function refuseForeignScopes({ scopes = [], release }: Granted, context: z.RefinementCtx): void {
  if (release === undefined) return
  for (const [position, message] of foreignScopes(scopes, release)) {
    context.addIssue({ code: 'custom', path: ['scopes', position], message })
  }
}
