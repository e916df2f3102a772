import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { DateTime } from '../engine/json/date-time.ts'
import type { Pause } from '../engine/model/pause.ts'
import { DisplayText } from './display-text.ts'
import { nullable } from './fields.ts'

const Until = DateTime.refine((value) => Date.parse(value) > Date.now(), {
  error: 'Must be in the future.',
})

/** SQL that is true if the record's pause is over. */
const IS_OVER = sql`coalesce(json_extract(pause, '$.until') <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), false)`

/** SQL that is true if the record is paused. */
export const IS_PAUSED = sql`(pause is not null and not ${IS_OVER})`

/** SQL for the pause of a key that a rotation creates. */
export const PAUSE_IN_FORCE = sql`iif(${IS_OVER}, null, pause)`

/** For `set`: null leaves a pause that is over as it is, so that a record which was read and is sent back does not change. */
export function storedPause({ pause }: { pause?: Pause | null | undefined }) {
  return pause === null ? { pause: sql`iif(${IS_OVER}, pause, null)` } : {}
}

export const GivenPause = z.object({
  until: Until.nullish().transform((until) => until ?? null),
  note: DisplayText.nullish().transform((note) => note ?? null),
}) satisfies z.ZodType<Pause>

export const ShownPause = z.object({ until: z.string().nullable(), note: z.string().nullable() })

/** The field of a settings record that can be paused. `whose` requests it holds back. */
export function pauseField(whose: string) {
  return nullable(
    { given: GivenPause, shown: ShownPause },
    {
      about: `Until it ends, requests of ${whose} are 503 \`UNAVAILABLE\` with the reason \`PAUSED\`. Null ends it.`,
      example: null,
    },
  )
}
