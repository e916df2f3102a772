import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { invalid } from '../engine/errors.ts'
import { stating } from '../engine/exchange/contract.ts'
import { parseTags } from '../engine/json/entity-tags.ts'

export const NOT_TAGS = 'Must be ETags in quotes, with commas between them, or *.'

/** The endpoint changes a record only if `If-Match` names its version. */
export const ifMatch = heed('If-Match')

/** The endpoint answers 304 if `If-None-Match` names the record as it is. */
export const ifNoneMatch = heed('If-None-Match')

/** 400 VALIDATION_ERROR for a header that has no tags. In a release without conditions, it has no effect. */
function heed(name: 'If-Match' | 'If-None-Match') {
  const heeding = createMiddleware<AppEnv>(async function heed(c, next) {
    if (c.get('release').hasConditions) {
      c.set('heeds', name)
      const header = c.req.header(name)
      const tags = header === undefined ? undefined : parseTags(header)
      if (tags === null) throw invalid({ [name]: [NOT_TAGS] })
      c.set('named', tags)
    }
    await next()
  })
  return stating(heeding, { condition: name })
}
