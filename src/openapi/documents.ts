import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { AnyError, type Area, headersIn, PARAMETERS } from './components.ts'
import { type Described, describe } from './descriptions.ts'
import type { Endpoint } from './endpoint.ts'
import { sharedResponses } from './errors.ts'
import { mergeNulls, override } from './fields.ts'
import { inventory } from './integrations/inventory.ts'
import { locations } from './integrations/locations.ts'
import { orders } from './integrations/orders.ts'
import { products } from './integrations/products.ts'
import { INTEGRATIONS, SETTINGS } from './introduction.ts'
import { apiKeys } from './settings/api-keys.ts'
import { auditLog } from './settings/audit-log.ts'
import { mappings } from './settings/mappings.ts'
import { partners } from './settings/partners.ts'
import { workspace } from './settings/workspace.ts'

interface Reference {
  area: Area
  title: string
  introduction: string
  tags: Record<string, string>
  endpoints: Endpoint[]
}

const API_KEY = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: 'Made by `POST /api/settings/v1/api-keys/`, with the scopes that it is to have.',
} as const

/** The OpenAPI documents by the path that each is served at. */
export const DOCUMENTS: Record<string, object> = {
  '/api/integrations/v1/openapi.json': documentOf({
    area: 'integrations',
    title: 'Crossdock integrations API',
    introduction: INTEGRATIONS,
    tags: {
      Orders: 'Orders and their lines. Cancelled ones are kept.',
      Products: 'What orders and stock are about, by SKU. Deactivated ones are kept.',
      Locations: 'Where stock is, by code. Deactivated ones are kept.',
      Inventory: 'How much of a product is at a location.',
    },
    endpoints: [...orders, ...products, ...locations, ...inventory],
  }),
  '/api/settings/v1/openapi.json': documentOf({
    area: 'settings',
    title: 'Crossdock settings API',
    introduction: SETTINGS,
    tags: {
      Workspace:
        'Its name, the off-switch of the integrations API, and how long the audit log is kept.',
      'API keys': 'Who may call, and what they may do.',
      Partners: 'The systems that call, each with its own words and identifiers.',
      Mappings: "How a partner's documents become ours, and our records its own.",
      'Audit log': 'Who asked for what, and what came of it.',
    },
    endpoints: [...workspace, ...apiKeys, ...partners, ...mappings, ...auditLog],
  }),
}

function documentOf({ area, title, introduction, tags, endpoints }: Reference): object {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title,
        version: 'v1',
        description: introduction,
        // Nobody but its owner may use this software: there is no license to link to.
        license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
      },
      // The host tells the tenant: the document is served by the API that it describes.
      servers: [{ url: '/' }],
      security: [{ apiKey: [] }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      paths: pathsOf(`/api/${area}/v1`, endpoints),
      components: {
        schemas: { Error: AnyError },
        parameters: PARAMETERS[area],
        headers: headersIn(area),
        responses: sharedResponses(area),
        securitySchemes: { apiKey: API_KEY },
      },
    },
    { override },
  )
  return describe(mergeNulls(document) as Described)
}

function pathsOf(base: string, endpoints: Endpoint[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const { method, path, operation } of endpoints) {
    paths[base + path] = { ...paths[base + path], [method]: operation }
  }
  return paths
}
