import * as z from 'zod'
import { AuditLogQuery } from '../../settings/audit-log/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'

const Subject = z.object({ id: z.string(), name: z.string() })

const AuditRow = named(
  'AuditRow',
  z.object({
    request_id: z.string(),
    created_at: z.string(),
    api_key: Subject,
    partner: Subject.nullable(),
    method: z.string(),
    path: z.string(),
    status: z.int(),
    error_code: z.string().nullable(),
    duration_ms: z.int().min(0),
    source: z.string().nullable(),
    notes: z.string().nullable(),
    counts: z
      .object({ total: z.int(), created: z.int(), updated: z.int(), failed: z.int() })
      .nullable(),
  }),
)

export const auditLog: Endpoint[] = [
  endpoint('settings', 'Audit log', {
    method: 'get',
    path: '/audit-log/',
    operationId: 'listAuditLog',
    scope: 'settings.read',
    summary: 'List the audit log',
    description:
      'Every request of every known key, refused ones included, newest first. A write and its row commit together; the rows of reads and refusals follow within moments. Filters narrow each other down.',
    query: AuditLogQuery,
    answer: {
      description: 'A page of the audit log.',
      data: z.array(AuditRow),
      isPage: true,
      example: [
        {
          request_id: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
          created_at: '2026-11-21T12:07:50.269Z',
          api_key: { id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01', name: 'Nordvik' },
          partner: { id: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77', name: 'Nordvik ERP' },
          method: 'POST',
          path: '/api/integrations/v1/inventory/',
          status: 200,
          error_code: null,
          duration_ms: 14,
          source: 'erp_sync',
          notes: null,
          counts: { total: 2, created: 1, updated: 0, failed: 1 },
        },
      ],
    },
  }),
]
