import { Hono } from 'hono'
import { readAsset } from '../engine/answers/asset.ts'
import type { AppEnv } from '../engine/env.ts'
import { documentPath } from '../engine/releases/release.ts'
import { RELEASES } from '../engine/releases/table.ts'

/** Where the OpenAPI documents are served, to anyone. They are files of the build, below `documents/`. */
const PATHS = [
  '/api/integrations/v1/openapi.json',
  '/api/settings/v1/openapi.json',
  ...RELEASES.filter(({ lifecycle }) => lifecycle !== null).map(documentPath),
]

export const apiDocuments = new Hono<AppEnv>()

for (const path of PATHS) {
  apiDocuments.get(path, async (c) => {
    const { origin } = c.get('exchange').url
    const read = async ({ body }: Response) => body?.pipeThrough(servedAt(origin)) ?? null
    const document = await readAsset(c.env, `/documents${path}`, 'The OpenAPI document', read)
    return new Response(document, { headers: { 'Content-Type': 'application/json' } })
  })
}

/**
 * Adds `servers` to a document as the first member. Importers take the API's address from there, and only the request
 * knows it.
 */
function servedAt(origin: string): TransformStream<Uint8Array, Uint8Array> {
  const servers = JSON.stringify([{ url: origin }])
  let isBegun = false
  return new TransformStream({
    transform(chunk, controller) {
      if (!isBegun) controller.enqueue(new TextEncoder().encode(`{"servers":${servers},`))
      // Without the bracket that opens the document.
      controller.enqueue(isBegun ? chunk : chunk.subarray(1))
      isBegun = true
    },
  })
}
