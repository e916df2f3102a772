import * as z from 'zod'
import { ATTEMPT_REASONS } from '../../engine/db/tables.ts'
import { named } from '../components.ts'
import { endpoints } from '../endpoint.ts'
import { wrong } from '../errors.ts'

const KeyAttempt = named(
  'KeyAttempt',
  z.object({
    hint: z.string(),
    reason: z.enum(ATTEMPT_REASONS),
    count: z.int().min(1),
    first_at: z.string(),
    last_at: z.string(),
  }),
)

export const keyAttemptsReference = endpoints('settings', 'Audit log', {
  'GET /key-attempts/': {
    operationId: 'listKeyAttempts',
    summary: 'List attempts without a valid key',
    description:
      'Returns requests whose key was refused, counted by what is shown of the key and by reason, newest first by the first attempt. A key may be `malformed` (mistyped, cut off, or of another system), `unknown`, `revoked`, `expired`, sent to the host of another tenant (`wrong_host`), or sent over plain HTTP (`plain_http`): others may know it then, so replace the key that has this hint. A request without any key is not counted, nor is one that got 429. The numbers are a minute late at times, and an isolate that ends takes with it what it has not stored yet. Attempts are kept as long as the audit log.',
    answer: {
      description: 'The attempts.',
      data: z.array(KeyAttempt),
      example: [
        {
          hint: 'xd_demo_…Q7kD',
          reason: 'revoked',
          count: 37,
          first_at: '2026-11-20T08:00:02.114Z',
          last_at: '2026-11-21T12:07:50.269Z',
        },
      ],
    },
    errors: {
      VALIDATION_ERROR: wrong(
        'reason',
        'Must be one of: malformed, unknown, revoked, expired, wrong_host, plain_http.',
      ),
    },
  },
})
