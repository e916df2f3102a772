import { Hono } from 'hono'
import { readAsset } from './answers/asset.ts'
import type { AppEnv } from './env.ts'

/** Where the OpenAPI documents are served, to anyone. They are files of the build, below `documents/`. */
const PATHS = ['/api/integrations/v1/openapi.json', '/api/settings/v1/openapi.json']

export const apiDocuments = new Hono<AppEnv>()

for (const path of PATHS) {
  apiDocuments.get(path, async (c) => {
    const read = async ({ body }: Response) => body
    const document = await readAsset(c.env, `/documents${path}`, 'The OpenAPI document', read)
    return new Response(document, { headers: { 'Content-Type': 'application/json' } })
  })
}
