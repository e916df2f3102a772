import * as z from 'zod'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { WebhookRules } from '../../engine/webhooks/rules.ts'
import { VERIFICATION_KINDS } from '../../engine/webhooks/verification.ts'
import { openMembers } from './open-members.ts'

const Text = z.string().min(1)

/** The rules of a webhook, but for what the user fills in: public keys, the name for Basic, the origin of {url}. */
const Rules = z
  .strictObject({
    ...WebhookRules.shape,
    verification: z.looseObject({ kind: z.enum(VERIFICATION_KINDS), signed: Text.optional() }),
  })
  .superRefine(({ verification, ...rules }, context) => {
    const open = openMembers(verification)
    for (const name of Object.keys(open)) {
      if (name in verification) addFault(context, ['verification', name], 'Is left to the user.')
    }
    const filled = { ...rules, verification: { ...verification, ...open } }
    for (const { path, message } of WebhookRules.safeParse(filled).error?.issues ?? []) {
      addFault(context, path, message)
    }
  })

function addFault(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  context.addIssue({ code: 'custom', path, message })
}

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
  /** What to post to /webhooks/, once the user has filled in what is open. */
  rules: Rules,
  /**
   * What the sender calls the secret, and where it stands; null where there is none. `chosen_here`: the sender takes any that
   * the receiver has made.
   */
  secret: z.strictObject({ label: Text, where: Text, chosen_here: z.boolean() }).nullable(),
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
