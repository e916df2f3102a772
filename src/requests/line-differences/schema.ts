import * as z from 'zod'
import { pageParams } from '../../engine/json/pagination.ts'

/** The name of the list in its cursors. */
export const LINE_DIFFERENCES = 'line-differences'

export const LineDifferencesQuery = z.object({
  ...pageParams(LINE_DIFFERENCES),
  partner_id: z.uuid({ error: 'Must be the id of a partner, a UUID.' }).optional(),
})
export type LineDifferencesFilters = Pick<z.output<typeof LineDifferencesQuery>, 'partner_id'>

/** What was shown to whoever has seen it. Without it: whatever there is by now. */
export const SeenDifferences = z.object({
  request_id: z.uuid({ error: 'Must be the request_id of the differences, a UUID.' }).optional(),
})
