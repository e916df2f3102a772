import * as z from 'zod'
import { DateTime } from '../../fields.ts'
import { pageParams } from '../../pagination.ts'

/** Paths begin with `/api/integrations/`, `/api/settings/` or `/dashboard/`. */
export const AREAS = ['integrations', 'settings', 'dashboard'] as const

export const RESOURCES = [
  'orders',
  'products',
  'locations',
  'inventory',
  'workspace',
  'api-keys',
  'partners',
  'audit-log',
] as const

export const AuditLogQuery = z
  .object({
    api_key_id: z.string().optional(),
    partner_id: z.string().optional(),
    method: z.string().toUpperCase().optional(),
    status: z
      .string()
      .regex(/^([1-5]\d\d|[1-5]xx)$/, { error: 'Must be a status, 404, or a class of them, 4xx.' })
      .optional(),
    error_code: z.string().toUpperCase().optional(),
    area: z.enum(AREAS).optional(),
    resource: z.enum(RESOURCES).optional(),
    request_id: z.string().optional(),
    from: DateTime.optional(),
    to: DateTime.optional(),
    ...pageParams('audit-log'),
  })
  .transform(({ limit, cursor, ...filters }) => ({
    filters,
    paging: { limit, cursor },
  }))
export type AuditLogQuery = z.output<typeof AuditLogQuery>
