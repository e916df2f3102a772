import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { RELEASE_1_0 } from '../engine/releases/1.0.ts'
import { documentPath } from '../engine/releases/release.ts'
import { AnyError, type ApiArea, headersIn } from './components.ts'
import { type Described, describe } from './descriptions.ts'
import type { Endpoint } from './endpoint.ts'
import { sharedResponses } from './errors.ts'
import { mergeNulls, override } from './fields.ts'
import { locationsReference, productsReference } from './integrations/catalogue.ts'
import { changesReference } from './integrations/changes.ts'
import { ADDRESS_PATH, DELIVERIES_TAG, receivingReference } from './integrations/deliveries.ts'
import { inventoryReference } from './integrations/inventory.ts'
import { ordersReference } from './integrations/orders.ts'
import { INTEGRATIONS, SETTINGS } from './introduction.ts'
import { PARAMETERS } from './parameters.ts'
import { documentIn } from './release.ts'
import { WORDING_1_0 } from './release-1.0.ts'
import { apiKeysReference } from './settings/api-keys.ts'
import { auditLogReference } from './settings/audit-log.ts'
import { deliveriesReference } from './settings/deliveries.ts'
import { documentsReference } from './settings/documents.ts'
import { historyReference } from './settings/history.ts'
import { itemCodesReference } from './settings/item-codes.ts'
import { keyAttemptsReference } from './settings/key-attempts.ts'
import { mappingStartersReference } from './settings/mapping-starters.ts'
import { mappingsReference } from './settings/mappings.ts'
import { partnersReference } from './settings/partners.ts'
import { peopleReference } from './settings/people.ts'
import { sessionsReference } from './settings/sessions.ts'
import { webhookPresetsReference } from './settings/webhook-presets.ts'
import { webhooksReference } from './settings/webhooks.ts'
import { workspaceReference } from './settings/workspace.ts'

interface Reference {
  area: ApiArea
  title: string
  introduction: string
  tags: Record<string, string>
  endpoints: Endpoint[]
  /** Paths that no key opens. */
  others?: ZodOpenApiPathsObject
}

const API_KEY = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: '`POST /api/settings/v1/api-keys/` creates a key with the scopes that you choose.',
} as const

/** The OpenAPI documents of the current release, by the path that serves each. */
export const OPENAPI_DOCUMENTS: Record<string, object> = {
  '/api/integrations/v1/openapi.json': documentOf({
    area: 'integrations',
    title: 'Crossdock integrations API',
    introduction: INTEGRATIONS,
    tags: {
      Orders: 'Orders and their lines. Cancelled orders are kept.',
      Products: 'What you store and sell, by SKU. Deactivated products are kept.',
      Locations: 'Where you store products, by code. Deactivated locations are kept.',
      Inventory: 'The quantity of each product at each location.',
      Changes: 'What has changed, in the order of commits.',
      [DELIVERIES_TAG]: 'What the systems of partners deliver to the addresses of webhooks.',
    },
    endpoints: [
      ...ordersReference,
      ...productsReference,
      ...locationsReference,
      ...inventoryReference,
      ...changesReference,
    ],
    others: { [ADDRESS_PATH]: receivingReference },
  }),
  '/api/settings/v1/openapi.json': documentOf({
    area: 'settings',
    title: 'Crossdock settings API',
    introduction: SETTINGS,
    tags: {
      Workspace:
        "The workspace's name, the integrations API's off-switch, and how long the audit log is kept.",
      'API keys': 'Keys of both APIs, and what each key may do.',
      Partners: 'The systems that call the API, each with its own documents and identifiers.',
      Mappings: "How a partner's documents become ours, and our records become the partner's.",
      'Item codes': "A partner's own numbers of our products and locations.",
      Webhooks:
        'Addresses at which the systems of partners deliver documents, and presets of how well-known systems do it.',
      Documents: 'Bodies of requests and their answers, where an administrator wants them kept.',
      History: 'Who changed which settings, and what they were before.',
      'Audit log': 'Every request, its key and its result; and attempts without a valid key.',
    },
    endpoints: [
      ...workspaceReference,
      ...apiKeysReference,
      ...peopleReference,
      ...sessionsReference,
      ...partnersReference,
      ...mappingsReference,
      ...mappingStartersReference,
      ...itemCodesReference,
      ...webhooksReference,
      ...deliveriesReference,
      ...webhookPresetsReference,
      ...auditLogReference,
      ...documentsReference,
      ...keyAttemptsReference,
      ...historyReference,
    ],
  }),
}

/** The documents of earlier releases, by the path that serves each. */
export const EARLIER_DOCUMENTS: Record<string, object> = {
  [documentPath(RELEASE_1_0)]: documentIn(
    RELEASE_1_0,
    OPENAPI_DOCUMENTS['/api/integrations/v1/openapi.json'] ?? {},
    WORDING_1_0,
  ),
}

function documentOf({ area, title, introduction, tags, endpoints, others }: Reference): object {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title,
        version: 'v1',
        description: introduction,
        // Only the owner may use this software: there is no license to link to.
        license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
      },
      security: [{ apiKey: [] }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      paths: { ...pathsOf(`/api/${area}/v1`, endpoints), ...others },
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
