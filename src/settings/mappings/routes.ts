import { type Context, Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { pageOfAll } from '../../engine/answers/list.ts'
import { okSetting } from '../../engine/answers/record.ts'
import { takeWorkFor } from '../../engine/body/map-inbound.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { PageQuery } from '../../engine/json/pagination.ts'
import { RESOURCES, type Resource } from '../../engine/mapping/identifier.ts'
import { changedMapping } from '../../engine/mapping/schema.ts'
import { ifMatch, ifNoneMatch } from '../../middleware/conditions.ts'
import { readsDocuments } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { versionsAsked } from '../versions.ts'
import { payloadAsked, previewAsked } from './preview-asked.ts'
import {
  deleteMapping,
  findMapping,
  findSaved,
  listMappings,
  mappingId,
  saveMapping,
} from './queries.ts'
import { replayAsked } from './replay/asked.ts'
import { AT_RESOURCE, PreviewMapping, ReplayMapping, SaveMapping, sentWithOf } from './schema.ts'

const MAPPINGS = 'mappings'
const ORDER: readonly string[] = RESOURCES
const read = requireScope('settings.partners.read')
const write = requireScope('settings.partners.write')

export const mappingsRoutes = new Hono<AppEnv>()

mappingsRoutes.get('/', read, query(PageQuery(MAPPINGS)), async (c) => {
  const partner = partnerOf(c)
  const saved = (await listMappings(c.get('db'), partner)).map(({ version, ...mapping }) => {
    return { seq: ORDER.length - ORDER.indexOf(mapping.resource), ...mapping }
  })
  return await pageOfAll(c, MAPPINGS, saved, c.req.valid('query'), { partner })
})

mappingsRoutes.get(AT_RESOURCE, read, ifNoneMatch, async (c) =>
  okSetting(c, idOf(c), await findMapping(c.get('db'), partnerOf(c), resourceOf(c))),
)

mappingsRoutes.put(
  AT_RESOURCE,
  write,
  ifMatch,
  body((c) => SaveMapping(resourceOf(c))),
  async (c) => {
    const [db, versions] = [c.get('db'), versionsAsked(c, idOf(c))]
    const saved = saveMapping(db, partnerOf(c), resourceOf(c), c.req.valid('json'), versions)
    return okSetting(c, idOf(c), await saved)
  },
)

mappingsRoutes.delete(AT_RESOURCE, write, ifMatch, body(NoFields), async (c) => {
  const versions = versionsAsked(c, idOf(c))
  return ok(c, await deleteMapping(c.get('db'), partnerOf(c), resourceOf(c), versions))
})

mappingsRoutes.post(
  `${AT_RESOURCE}preview/`,
  write,
  body((c) => PreviewMapping(resourceOf(c)), { exact: 'payload' }),
  async (c) => {
    const { method, mapping, ...asked } = c.req.valid('json')
    const saved = await findSaved(c.get('db'), partnerOf(c), resourceOf(c))
    c.get('exchange').record_id = partnerOf(c)
    const tried = changedMapping(saved, mapping ?? {})
    const document = await payloadAsked(c, asked, tried.inbound)
    const trial = {
      ...tried,
      ...document,
      resource: resourceOf(c),
      method,
      sent: sentWithOf(asked),
    }
    const { result, warnings, bytes } = await previewAsked(c, trial, partnerOf(c))
    await takeWorkFor(c, bytes)
    return ok(c, result, warnings)
  },
)

mappingsRoutes.post(
  `${AT_RESOURCE}replay/`,
  write,
  readsDocuments,
  body((c) => ReplayMapping(resourceOf(c))),
  async (c) => ok(c, await replayAsked(c, partnerOf(c), resourceOf(c), c.req.valid('json'))),
)

function partnerOf(c: Context<AppEnv>): string {
  return c.req.param('id') ?? ''
}

function idOf(c: Context<AppEnv>): string {
  return mappingId(partnerOf(c), resourceOf(c))
}

function resourceOf(c: Context<AppEnv>): Resource {
  return c.req.param('resource') as Resource
}
