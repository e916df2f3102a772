import * as z from 'zod'
import { namesIn } from '../../engine/db/columns.ts'
import { READS } from '../../engine/db/tables.ts'
import { DateTime } from '../../engine/json/date-time.ts'
import { Integer, Name } from '../../engine/json/fields.ts'
import { kindOf, shortened } from '../../engine/json/messages.ts'
import { schemasOf } from '../../engine/model/record.ts'
import { CURRENT } from '../../engine/releases/release.ts'
import { liveRelease, RELEASES, releasesWith } from '../../engine/releases/table.ts'
import { DisplayText } from '../display-text.ts'
import { moment, momentOrNull, nullable, shownId, shownOnly, withDefault } from '../fields.ts'
import { pauseField } from '../pause.ts'

const SCOPES_MAX = 50
const OVERLAP_SECONDS_MAX = 604_800
export const RATE_LIMIT_MAX = 30_000

export const ScopeName = z.string().refine((scope) => releasesWith(scope).length > 0, {
  error: ({ input }) => `There is no scope "${shortened(String(input))}".`,
})

const Scopes = z
  .array(ScopeName)
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

/** What the database stores of a key, but for its hash. */
const STORED = {
  id: shownId('1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01'),
  name: {
    create: DisplayText,
    update: DisplayText.optional(),
    shown: z.string(),
    example: 'Stock reader',
  },
  hint: shownOnly(z.string(), {
    about: "The beginning and end of the key's value, to tell keys apart.",
    example: 'xd_demo_…Q7kD',
  }),
  scopes: withDefault({ given: Scopes, shown: z.array(ScopeName) }, ['integrations.*'], {
    about: 'What the key may do.',
    example: ['integrations.inventory.read'],
  }),
  partner_id: nullable(
    { given: Name, shown: z.string() },
    { about: 'The partner whose mappings and identifiers the key uses.', example: null },
  ),
  release: withDefault({ given: ReleaseName, shown: z.string() }, CURRENT.name, {
    about:
      'The release of the integrations API that the key uses: `current`, or an older one that its client was built for.',
    example: CURRENT.name,
  }),
  rate_limit: nullable(
    { given: RateLimit, shown: z.int() },
    {
      about: 'How many requests the key may make per minute. Null means no limit.',
      example: null,
    },
  ),
  own_orders_only: withDefault({ given: z.boolean(), shown: z.boolean() }, false, {
    about:
      'Whether the key sees and changes only orders that keys of its partner have created. For it, no others exist.',
    example: false,
  }),
  reads: withDefault({ given: z.enum(READS), shown: z.enum(READS) }, 'primary', {
    about:
      'Where the key reads: `primary`, or `near` for the nearest copy of the database, which is faster from far away and may miss the last 5 seconds.',
    example: 'primary',
  }),
  pause: pauseField('the key'),
  expires_at: nullable(
    { given: ExpiresAt, shown: z.string() },
    { about: 'When the key expires. Null means never.', example: null },
  ),
  revoked_at: momentOrNull('When the key was revoked, in UTC.'),
  rotated_from: shownOnly(z.string().nullable(), {
    about: 'The id of the key that a rotation replaced by this one.',
    example: null,
  }),
  created_at: moment('2026-11-21T12:07:50.269Z'),
}

const FIELDS = {
  ...STORED,
  last_used_at: momentOrNull(
    'When the key was last used, in UTC. Null if the audit log has no request of it.',
  ),
  status: shownOnly(z.enum(['active', 'expired', 'revoked']), {
    about: 'Only an `active` key is accepted.',
    example: 'active',
  }),
}

const { Create, Update, Shown } = schemasOf(FIELDS)

/** An API key, in the order of responses. */
export const ApiKey = {
  fields: FIELDS,
  columns: namesIn(STORED),
  Create: Create.superRefine(refuseForeignScopes),
  Update: Update.superRefine(refuseForeignScopes),
  Shown,
}

export type CreateApiKey = z.output<typeof ApiKey.Create>
export type UpdateApiKey = z.output<typeof ApiKey.Update>

/** How long what is replaced stays valid. */
export const OverlapSeconds = z.int().min(0).max(OVERLAP_SECONDS_MAX).default(0)

export const RotateApiKey = z.object({
  overlap_seconds: OverlapSeconds,
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
