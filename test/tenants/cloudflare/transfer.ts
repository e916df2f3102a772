import { createHash, randomUUID } from 'node:crypto'
import { unstable_splitSqlQuery as statementsOf } from 'wrangler'
import * as z from 'zod'
import type { Account } from './account.ts'
import { type Call, type Endpoint, jsonOf, Misunderstood, success } from './call.ts'
import { databaseOf } from './d1.ts'
import { type Runtime, SqlError } from './runtime.ts'

const ETag = z.string().regex(/^[0-9a-f]{32}$/)
const Import = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('init'), etag: ETag }),
  z.strictObject({ action: z.literal('ingest'), etag: ETag, filename: z.string() }),
  z.strictObject({ action: z.literal('poll'), current_bookmark: z.string() }),
])
const Export = z.strictObject({
  output_format: z.literal('polling'),
  dump_options: z.strictObject({
    no_schema: z.boolean(),
    no_data: z.boolean(),
    tables: z.array(z.string()),
  }),
  current_bookmark: z.string().optional(),
})

const DATABASE = '/accounts/:account/d1/database/:database'

/** What becomes of a dump on its way down. */
export interface Downloads {
  rewrite: (dump: string) => string
}

export const asItIs = (dump: string) => dump

interface Upload {
  etag: string
  /** Null until the file has come. */
  sql: string | null
}

/**
 * A file goes up to a signed address and is taken in whole or not at all; a dump comes down from
 * one. Both are asked about until they are done: here once.
 */
export function transferEndpoints(
  account: Account,
  runtime: Runtime,
  origin: string,
  downloads: Downloads,
): Endpoint[] {
  return [
    ...importEndpoints(account, runtime, origin),
    ...exportEndpoints(account, runtime, origin, downloads),
  ]
}

function importEndpoints(account: Account, runtime: Runtime, origin: string): Endpoint[] {
  const uploads = new Map<string, Upload>()
  const outcomes = new Map<string, object>()

  function init(uuid: string, etag: string): Response | Promise<Response> {
    const filename = `${uuid}.${etag}.sql`
    if (typeof uploads.get(filename)?.sql === 'string') return ingest(uuid, filename, etag)
    uploads.set(filename, { etag, sql: null })
    return success({
      success: true,
      type: 'import',
      status: null,
      filename,
      upload_url: `${origin}/uploads/${filename}`,
      messages: [],
    })
  }

  async function ingest(uuid: string, filename: string, etag: string): Promise<Response> {
    const upload = uploads.get(filename)
    if (upload?.etag !== etag || upload.sql === null) {
      throw new Misunderstood(`nothing was uploaded as ${filename} with the etag ${etag}`)
    }
    const bookmark = randomUUID()
    outcomes.set(bookmark, await outcomeOf(runtime, uuid, upload.sql))
    const messages = [`Processed ${upload.sql.length} characters.`]
    return success({
      success: true,
      type: 'import',
      status: 'active',
      at_bookmark: bookmark,
      messages,
    })
  }

  return [
    {
      kinds: ['d1.import.init', 'd1.import.ingest', 'd1.import.poll'],
      kindOf: (call) => `d1.import.${jsonOf(call, Import).action}`,
      method: 'POST',
      path: `${DATABASE}/import`,
      handle: (call) => {
        const { uuid } = databaseOf(account, call)
        const asked = jsonOf(call, Import)
        if (asked.action === 'init') return init(uuid, asked.etag)
        if (asked.action === 'ingest') return ingest(uuid, asked.filename, asked.etag)
        const outcome = outcomes.get(asked.current_bookmark)
        if (!outcome) throw new Misunderstood('no import is at that bookmark')
        return success({ type: 'import', at_bookmark: asked.current_bookmark, ...outcome })
      },
    },
    {
      kinds: ['d1.import.upload'],
      method: 'PUT',
      path: '/uploads/:filename',
      signed: true,
      handle: (call) => uploaded(uploads.get(call.params.filename ?? ''), call),
    },
  ]
}

function uploaded(upload: Upload | undefined, { headers, body }: Call): Response {
  const etag = createHash('md5').update(body).digest('hex')
  if (!upload) throw new Misunderstood('the address was not signed here')
  if (upload.etag !== etag) throw new Misunderstood(`the file is not the one announced: ${etag}`)
  if (headers.get('content-length') !== String(body.length)) {
    throw new Misunderstood('an upload wants its length')
  }
  upload.sql = body.toString('utf8')
  return new Response(null, { headers: { etag: `"${etag}"` } })
}

async function outcomeOf(runtime: Runtime, uuid: string, sql: string): Promise<object> {
  const statements = statementsOf(sql)
  try {
    const meta = await runtime.ingest(uuid, statements)
    const final_bookmark = await runtime.bookmark(uuid)
    const result = { final_bookmark, num_queries: statements.length, meta }
    return { success: true, status: 'complete', messages: [], result }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    const { message } = error
    return { success: false, status: 'error', error: message, errors: [message], messages: [] }
  }
}

function exportEndpoints(
  account: Account,
  runtime: Runtime,
  origin: string,
  downloads: Downloads,
): Endpoint[] {
  const dumps = new Map<string, string>()
  return [
    {
      kinds: ['d1.export', 'd1.export.poll'],
      kindOf: (call) => (jsonOf(call, Export).current_bookmark ? 'd1.export.poll' : 'd1.export'),
      method: 'POST',
      path: `${DATABASE}/export`,
      handle: async (call) => {
        const { uuid } = databaseOf(account, call)
        const { current_bookmark: bookmark, dump_options } = jsonOf(call, Export)
        if (bookmark === undefined) {
          const at_bookmark = randomUUID()
          dumps.set(at_bookmark, await runtime.dump(uuid, dump_options))
          const messages = ['Generating dump']
          return success({ success: true, type: 'export', status: 'active', at_bookmark, messages })
        }
        if (!dumps.has(bookmark)) throw new Misunderstood('no export is at that bookmark')
        return success({
          success: true,
          type: 'export',
          status: 'complete',
          at_bookmark: bookmark,
          messages: ['Uploaded part 1'],
          result: { filename: `${bookmark}.sql`, signed_url: `${origin}/dumps/${bookmark}.sql` },
        })
      },
    },
    {
      kinds: ['d1.export.download'],
      method: 'GET',
      path: '/dumps/:filename',
      signed: true,
      handle: (call) => {
        const dump = dumps.get((call.params.filename ?? '').replace(/\.sql$/, ''))
        if (dump === undefined) return new Response('expired', { status: 403 })
        return new Response(downloads.rewrite(dump))
      },
    },
  ]
}
