/** The OpenAPI documents by the path that each is served at. */
export const DOCUMENTS: Record<string, object> = {
  '/api/integrations/v1/openapi.json': { openapi: '3.1.0' },
  '/api/settings/v1/openapi.json': { openapi: '3.1.0' },
}
