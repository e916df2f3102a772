import * as z from 'zod'
import { OUTCOME_CHANGES } from '../../settings/mappings/replay/replay.ts'
import { named } from '../components.ts'
import { endpoints } from '../endpoint.ts'
import { wrong } from '../errors.ts'
import { ReplayBody } from './mapping-bodies.ts'
import { MAPPING, NO_PARTNER } from './mappings.ts'

const Difference = named(
  'Difference',
  z.object({ at: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
)

const ReplayResult = named(
  'ReplayResult',
  z.object({
    documents: z.int().min(0),
    same: z.int().min(0),
    changed: z.int().min(0),
    newly_failing: z.int().min(0),
    newly_passing: z.int().min(0),
    unreadable: z.int().min(0),
    truncated: z.boolean(),
    others: z.array(z.object({ request_id: z.string(), kind: z.enum(OUTCOME_CHANGES) })),
    examples: z.array(
      z.object({
        request_id: z.string(),
        kind: z.enum(OUTCOME_CHANGES),
        differences: z.array(Difference),
        faults: z.object({ before: z.array(z.string()), after: z.array(z.string()) }),
      }),
    ),
  }),
)

const REPLAYED: z.output<typeof ReplayResult> = {
  documents: 200,
  same: 163,
  changed: 0,
  newly_failing: 0,
  newly_passing: 37,
  unreadable: 0,
  truncated: false,
  others: [{ request_id: '8d1f0a77-3c53-4b0e-9f21-6f1d2f9ad0c4', kind: 'newly_passing' }],
  examples: [
    {
      request_id: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
      kind: 'newly_passing',
      differences: [],
      faults: { before: ['lines[0].qty: Must be an integer, not a string.'], after: [] },
    },
  ],
}

export const replayReference = endpoints('settings', 'Mappings', {
  'POST /partners/{id}/mappings/{resource}/replay/': {
    operationId: 'replayMapping',
    summary: 'Try a mapping on kept documents',
    description:
      'Sends the newest `last` kept documents of POST and PUT, or as many of those between `from` and `to`, through the saved mapping and through the draft in `mapping`, and checks both results as a request is checked, except for what only the database knows. Writes nothing. `documents` is the sum of `same`, `changed` (another record, or refused for another reason), `newly_failing` and `newly_passing`. `unreadable` are those that are not stored, not JSON, or whose result depends on a redacted place. `truncated` is true if there was no time for all of them. At most 20 examples, 5 of a kind; `others` are all further documents whose result would change. Needs `settings.documents.read` as well. A key that is linked to a partner gets 403.',
    body: { schema: ReplayBody, example: { mapping: MAPPING, last: 200 } },
    answer: {
      description: 'What the draft would have changed.',
      data: ReplayResult,
      example: REPLAYED,
    },
    errors: {
      VALIDATION_ERROR: wrong('last', 'Must be at most 1000.'),
      NOT_FOUND: NO_PARTNER,
    },
  },
})
