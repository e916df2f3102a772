import * as z from 'zod'
import { RECORD_STATUSES } from '../middleware/several-records.ts'
import { AnyErrorDetails, named, ShownWarning } from './components.ts'

/** The answer to a document of several records. */
export const SEVERAL_RECORDS = {
  description:
    "The mapping of the key's partner makes several records of the document (`records`). Each is created as by a request of its own, with its own row in the audit log. Those that are not tried, because the request has taken 3.5 seconds or 900 statements or the settings have changed, are tried when the same document is sent again.",
  data: named(
    'RecordsResult',
    z.object({
      total: z.int(),
      created: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      skipped: z.int(),
      failed: z.int(),
      not_tried: z.int(),
      results: z.array(
        named(
          'RecordResult',
          z.object({
            index: z.int(),
            status: z.enum(RECORD_STATUSES),
            record: z.string().nullable(),
            id: z.string().optional(),
            error: AnyErrorDetails.optional(),
            warnings: z.array(ShownWarning).optional(),
          }),
        ),
      ),
    }),
  ),
  example: {
    total: 2,
    created: 1,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 1,
    not_tried: 0,
    results: [
      {
        index: 0,
        status: 'created' as const,
        record: 'R-1',
        id: 'e54d0960-fd7e-433d-b7f5-52f53c116de5',
      },
      {
        index: 1,
        status: 'failed' as const,
        record: 'R-2',
        error: { code: 'MAPPING_ERROR', message: 'rows[3].buyer: Must be the same in all rows.' },
      },
    ],
  },
}
