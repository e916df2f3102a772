import * as z from 'zod'
import { DateTime, Integer, Name } from '../../fields.ts'
import { shortened } from '../../messages.ts'
import { CURRENT } from '../../releases/release.ts'
import { liveRelease, RELEASES, scopeIn } from '../../releases/table.ts'
import { isGrantable } from '../../scopes.ts'

const SCOPES_MAX = 50
const OVERLAP_SECONDS_MAX = 604_800
export const RATE_LIMIT_MAX = 100_000

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
  .enum(RELEASES.map(({ name }) => name))
  .refine((name) => liveRelease(name) !== null, { error: 'This release has ended.' })

/** Requests a minute. */
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

/** A release that spelled a scope otherwise lends its spelling to its own keys alone. */
function refuseForeignScopes(
  { scopes = [], release = CURRENT.name }: Granted,
  context: z.RefinementCtx,
): void {
  for (const [position, scope] of scopes.entries()) {
    const owners = releasesWith(scope)
    if (owners.length === 0 || owners.includes(release)) continue
    context.addIssue({
      code: 'custom',
      path: ['scopes', position],
      message: `Only release ${owners.join()} has the scope "${scope}": give "release" as well.`,
    })
  }
}

function releasesWith(scope: string): string[] {
  return RELEASES.filter((known) => isGrantable(scopeIn(known, scope))).map(({ name }) => name)
}
