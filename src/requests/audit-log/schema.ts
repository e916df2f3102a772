import * as z from 'zod'
import { OUTCOMES } from '../../engine/db/tables.ts'
import { QueryDateTime } from '../../engine/json/date-time.ts'
import {
  cursorParam,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  limitParam,
  notALimit,
} from '../../engine/json/pagination.ts'

/** Areas by the beginning of the path: `/api/integrations/`, `/webhooks/`, `/api/settings/`, `/dashboard/`. */
export const AREAS = ['integrations', 'webhooks', 'settings', 'dashboard'] as const

export const AUDITED_RESOURCES = [
  'orders',
  'products',
  'locations',
  'inventory',
  'changes',
  'workspace',
  'api-keys',
  'people',
  'sessions',
  'webhooks',
  'partners',
  'mapping-starters',
  'webhook-presets',
  'audit-log',
  'send-again',
  'deliveries',
  'apply-deliveries',
  'line-differences',
  'history',
  'key-attempts',
] as const

/** So many rows has a page of CSV at most, and without a `limit`. */
export const CSV_ROWS_MAX = 10_000

/** `true`: dry runs alone; `false`: what was no dry run. */
export const DRY_RUN_CHOICES = ['true', 'false'] as const

const FORMATS = ['json', 'csv'] as const

/** Of the filter `status`: 400 and above. */
export const FAILED = 'failed'

export const AuditLogQuery = z
  .object({
    api_key_id: z.string().optional(),
    partner_id: z.string().optional(),
    method: z.string().toUpperCase().optional(),
    status: z
      .string()
      .regex(/^([1-5]\d\d|[1-5]xx|failed)$/, {
        error: 'Must be a status, such as 404, a class, such as 4xx, or failed.',
      })
      .optional(),
    error_code: z.string().toUpperCase().optional(),
    area: z.enum(AREAS).optional(),
    resource: z.enum(AUDITED_RESOURCES).optional(),
    request_id: z.string().optional(),
    sender_id: z.string().optional(),
    outcome: z.enum(OUTCOMES).optional(),
    record_name: z.string().optional(),
    record_name_prefix: z.string().optional(),
    field: z.string().optional(),
    dry_run: z.enum(DRY_RUN_CHOICES).optional(),
    from: QueryDateTime.optional(),
    to: QueryDateTime.optional(),
    format: z.enum(FORMATS).default('json'),
    limit: limitParam(CSV_ROWS_MAX).optional(),
    ...cursorParam('audit-log'),
  })
  .transform(({ limit: asked, cursor, format, ...filters }, context) => {
    const most = format === 'csv' ? CSV_ROWS_MAX : LIMIT_MAX
    const limit = asked ?? (format === 'csv' ? CSV_ROWS_MAX : LIMIT_DEFAULT)
    if (limit > most) {
      context.addIssue({ code: 'custom', path: ['limit'], message: notALimit(most) })
    }
    return { filters, format, paging: { limit, cursor } }
  })
export type AuditLogQuery = z.output<typeof AuditLogQuery>
