import { PageQuery } from '../../document/pagination.ts'

/** The name of the list in its cursors. */
export const CHANGES = 'request-changes'

export const ChangesQuery = PageQuery(CHANGES)
