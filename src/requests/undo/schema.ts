import { PageQuery } from '../../engine/json/pagination.ts'

/** The name of the list in its cursors. */
export const REQUEST_CHANGES = 'request-changes'

export const RequestChangesQuery = PageQuery(REQUEST_CHANGES)
