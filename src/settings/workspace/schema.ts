import * as z from 'zod'
import { Integer } from '../../engine/json/fields.ts'
import { schemasOf } from '../../engine/model/record.ts'
import { ShownPolicy } from '../../engine/redaction/policy.ts'
import { LOW_STOCK_MAX } from '../../records/inventory/schema.ts'
import { DisplayText } from '../display-text.ts'
import { shownOnly } from '../fields.ts'
import { GivenPolicy } from '../given-policy.ts'
import { pauseField } from '../pause.ts'

const RETENTION_DAYS_MAX = 3650
const UNDO_DAYS_MAX = 90
const WAITING_DAYS_MAX = 90

/** The settings of a workspace, in the order of responses. */
const FIELDS = {
  name: {
    create: null,
    update: DisplayText.optional(),
    shown: z.string(),
    about: 'A name for people to read.',
    example: 'Harbour warehouse',
  },
  tenant: shownOnly(z.string(), {
    about: "The tenant's name, as in its keys and its host name.",
    example: 'demo',
  }),
  integration_enabled: {
    create: null,
    update: z.boolean().optional(),
    shown: z.boolean(),
    about: 'If false, every request to `/api/integrations/` returns 403 `WORKSPACE_DISABLED`.',
    example: true,
  },
  audit_retention_days: wholeNumber(1, RETENTION_DAYS_MAX, {
    about: 'How many days the audit log is kept. Older rows are deleted once a day.',
    label: 'Audit log retention in days',
    help: `1 to ${RETENTION_DAYS_MAX}. Older requests are deleted once a day and cannot be restored.`,
    example: 365,
  }),
  audit_hot_days: wholeNumber(1, RETENTION_DAYS_MAX, {
    about:
      'How many days rows of the audit log stay in the database. Older ones move to the archive, where the same endpoints find them; with as many days as `audit_retention_days` or more, none do. Rows stay as long as `undo_days`, and as documents are kept, in any case.',
    label: 'Days of the audit log in the database',
    help: 'Older requests move to the archive, where they are found more slowly. With as many days as above, none move.',
    helpWithoutBucket:
      'Without a bucket (the binding DOCUMENTS) all requests stay in the database.',
    example: 30,
  }),
  undo_days: wholeNumber(0, UNDO_DAYS_MAX, {
    about:
      'How many days a request can be undone, and how far the history of stock goes; 0: not at all. Never longer than `audit_retention_days`: the smaller number holds.',
    label: 'Days in which requests can be undone',
    help: `0 to ${UNDO_DAYS_MAX}, and no longer than the audit log. For this many days Crossdock remembers what uploads and changes replaced, for undo and for the history of stock. With 0 it remembers nothing.`,
    example: 7,
  }),
  waiting_days: wholeNumber(1, WAITING_DAYS_MAX, {
    about:
      'How many days a delivery that could not be applied waits. Then it ends as `dismissed`. A change also holds for what waits already.',
    label: 'Days that deliveries wait',
    help: `1 to ${WAITING_DAYS_MAX}. What a webhook could not apply is kept for this many days, and ends then. Another number also holds for what waits already.`,
    example: 30,
  }),
  low_stock_quantity: wholeNumber(1, LOW_STOCK_MAX, {
    about: 'Stock of at most this quantity is low: the dashboard lists it.',
    label: 'Low stock',
    help: `1 to ${LOW_STOCK_MAX}. Stock of at most this quantity at a location is on the list of low stock.`,
    example: 10,
  }),
  keep_documents: {
    create: null,
    update: GivenPolicy.nullish(),
    shown: ShownPolicy.nullable(),
    example: null,
  },
  pause: { ...pauseField('any key'), create: null },
  settings_version: shownOnly(z.int(), {
    about: 'A number that grows with every change of settings.',
    example: 12,
  }),
}

export const Workspace = { fields: FIELDS, ...schemasOf(FIELDS) }

export type UpdateWorkspace = z.output<typeof Workspace.Update>

/** The settings that are a number. Each has a field in the form of the dashboard. */
export const NUMBERS = [
  'audit_retention_days',
  'audit_hot_days',
  'undo_days',
  'waiting_days',
  'low_stock_quantity',
] as const

interface ToldOfNumber {
  about: string
  label: string
  help: string
  helpWithoutBucket?: string
  example: number
}

function wholeNumber(min: number, max: number, told: ToldOfNumber) {
  const update = Integer.min(min).max(max).optional()
  return { create: null, update, shown: z.int().min(min), min, max, ...told }
}
