import * as z from 'zod'
import { RESOURCES } from '../../engine/mapping/identifier.ts'

const Text = z.string().min(1)

/** Where something stands: in a header, or at a path of the body. */
const Place = z.union([z.strictObject({ header: Text }), z.strictObject({ path: Text })])

const Rules = z.strictObject({
  /** Its other members depend on the kind. */
  verification: z.looseObject({
    kind: z.enum(['hmac', 'public_key', 'basic', 'token', 'address']),
  }),
  /** Several are joined by a dot. */
  event: z.union([Place, z.array(Place).min(2)]).nullable(),
  delivery_id: Place.nullable(),
  /** The path of the record in the body; null if the body is the record. */
  document: Text.nullable(),
  /** By event; `*` is for all others. */
  actions: z.record(Text, z.enum(['upsert', 'cancel', 'deactivate', 'upload', 'skip'])),
  take_if: Text.nullable(),
  cancel_if: Text.nullable(),
  changed_at: Text.nullable(),
  headers: z.array(Text),
  parameters: z.array(Text),
})

/** How a well-known system, or any of one style, delivers by webhook. */
export const WebhookPreset = z.strictObject({
  /** The name of its file. */
  name: z.string().regex(/^[a-z0-9-]+$/),
  title: Text,
  /** What arrives, and what does not. */
  about: Text,
  resource: z.enum(RESOURCES),
  /** The mapping starter that fits. */
  starter: Text.nullable(),
  rules: Rules,
  /** What the sender calls the secret, and where it stands; null where there is none. */
  secret: z.strictObject({ label: Text, where: Text }).nullable(),
  /** What to do on the sender's pages; `{address}` stands for the webhook's address. */
  steps: z.array(Text).min(1),
  /** What counts as a failed delivery, and what follows; null if that differs from sender to sender. */
  sender: z.strictObject({ fails: Text, waits: Text, tries: Text, gives_up: Text }).nullable(),
  /** What the sender expects where a delivery succeeds, if that is not just any 2xx. */
  answer: z.strictObject({ status: z.int(), body: z.string() }).nullable(),
  /** The mapping starter whose document a test delivers. */
  test_document: Text.nullable(),
  /** Where each statement comes from, or that it comes from memory. */
  sources: z.array(Text).min(1),
  /** Where the system does otherwise than one would expect. */
  differs: Text.nullable(),
})

export type WebhookPreset = z.output<typeof WebhookPreset>
