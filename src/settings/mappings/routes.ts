import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { ok } from '../../envelope.ts'
import { NoFields } from '../../fields.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body } from '../../middleware/validate.ts'
import { preview } from './preview.ts'
import { deleteMapping, findMapping, findSaved, listMappings, saveMapping } from './queries.ts'
import { AT_RESOURCE, PreviewMapping, SaveMapping } from './schema.ts'

const read = requireScope('settings.read')
const write = requireScope('settings.write')

export const mappings = new Hono<AppEnv>()

mappings.get('/', read, async (c) => ok(c, await listMappings(c.get('db'), partnerOf(c))))

mappings.get(AT_RESOURCE, read, async (c) =>
  ok(c, await findMapping(c.get('db'), partnerOf(c), resourceOf(c))),
)

mappings.put(
  AT_RESOURCE,
  write,
  body((c) => SaveMapping(resourceOf(c))),
  async (c) =>
    ok(c, await saveMapping(c.get('db'), partnerOf(c), resourceOf(c), c.req.valid('json'))),
)

mappings.delete(AT_RESOURCE, write, body(NoFields), async (c) =>
  ok(c, await deleteMapping(c.get('db'), partnerOf(c), resourceOf(c))),
)

mappings.post(
  `${AT_RESOURCE}preview/`,
  write,
  body((c) => PreviewMapping(resourceOf(c))),
  async (c) => {
    const { payload, method, mapping } = c.req.valid('json')
    const saved = await findSaved(c.get('db'), partnerOf(c), resourceOf(c))
    c.get('exchange').record_id = partnerOf(c)
    const { inbound } = mapping ?? saved ?? { inbound: null }
    const { result, warnings } = preview(resourceOf(c), method, inbound, payload)
    return ok(c, result, warnings)
  },
)

function partnerOf(c: Context<AppEnv>): string {
  return c.req.param('id') ?? ''
}

function resourceOf(c: Context<AppEnv>): Resource {
  return c.req.param('resource') as Resource
}
