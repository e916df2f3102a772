import * as z from 'zod'
import { SETTINGS_KINDS } from '../../engine/db/tables.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { unknownRecord, wrong } from '../errors.ts'

const Listed = named(
  'SettingsChange',
  z.object({
    id: z.int(),
    kind: z.enum(SETTINGS_KINDS),
    record_id: z.string(),
    resource: z.enum(RESOURCES).nullable(),
    name: z.string(),
    action: z.enum(['created', 'changed', 'deleted']),
    fields: z.array(z.string()),
    created_at: z.string(),
    request_id: z.string().nullable(),
    api_key_id: z.string().nullable(),
    api_key_name: z.string().nullable(),
    source: z.enum(['api', 'dashboard', 'operator']),
  }),
)

const State = z.record(z.string(), z.unknown()).nullable()
const Shown = named('SettingsChangeInFull', Listed.extend({ before: State, after: State }))

const CHANGE = Listed.parse({
  id: 27,
  kind: 'partner',
  record_id: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77',
  resource: null,
  name: 'Nordvik ERP',
  action: 'changed',
  fields: ['default_identifier_field'],
  created_at: '2026-11-21T12:07:50.269Z',
  request_id: '019a9c3e-5f5d-7a3e-8c1b-2f60b4a9d101',
  api_key_id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01',
  api_key_name: 'Ada',
  source: 'dashboard',
})
const BEFORE = { name: 'Nordvik ERP', default_identifier_field: null, keep_documents: null }

export const historyReference = endpoints('settings', 'History', {
  'GET /history/': {
    operationId: 'listSettingsChanges',
    summary: 'List changes of settings',
    description:
      'Returns who changed which key, partner, mapping or the workspace, and when, newest first. `fields` names what differs; retrieve a change to see the values. A change is in the list from the moment at which it takes effect, and is kept for 400 days. Of what your key may not read, it shows no changes, and a warning says so. A page compares at most 1,000 changes with the filters: it may have fewer records than `limit`, and even none, and still have a `next_cursor`.',
    answer: pageOf('changes', Listed, CHANGE),
    errors: {
      VALIDATION_ERROR: wrong('kind', 'Must be one of: api_key, partner, mapping, workspace.'),
    },
  },
  'GET /history/{change}/': {
    operationId: 'findSettingsChange',
    summary: 'Retrieve a change of settings',
    description:
      'Returns the record before and after the change. It never has the value of a key. To go back to an earlier state, send what `before` or `after` has of it as a PUT.',
    answer: {
      description: 'The change.',
      data: Shown,
      example: {
        ...CHANGE,
        before: BEFORE,
        after: { ...BEFORE, default_identifier_field: 'external_order_id' },
      },
    },
    errors: {
      NOT_FOUND: unknownRecord('No change of settings has the id 27.'),
    },
  },
})
