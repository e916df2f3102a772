import * as z from 'zod'
import { ROLE_NAMES } from '../../../engine/identity/roles.ts'
import { schemasOf } from '../../../engine/model/record.ts'
import { DisplayText } from '../../display-text.ts'
import { moment, momentOrNull, shownId, shownOnly } from '../../fields.ts'
import { ApiKey } from '../schema.ts'

const EMAIL_LENGTH_MAX = 254

/** In lower case: Cloudflare Access tells it so. */
const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(EMAIL_LENGTH_MAX)
  .pipe(z.email({ error: 'Must be an e-mail address.' }))

const RoleName = z.enum(ROLE_NAMES)
const { last_used_at, expires_at, status } = ApiKey.fields

/** A person, in the order of responses. */
const FIELDS = {
  id: shownId('5b0c3c5e-93d5-4d51-8e7c-0c2f4ae0b1d6'),
  name: {
    create: DisplayText,
    update: DisplayText.optional(),
    shown: z.string(),
    about: 'The name that the audit log and the history show.',
    example: 'Ada Lund',
  },
  email: {
    create: Email,
    update: null,
    shown: z.string(),
    about: 'The address by which the person signs in. It never changes.',
    example: 'ada@example.com',
  },
  role: {
    create: RoleName,
    update: RoleName.optional(),
    shown: RoleName.nullable(),
    about:
      'What the person may do: `owner` everything, `manager` everything but people and the workspace, `operator` records and deliveries, `viewer` read. Null if the database was told other scopes.',
    example: 'operator',
  },
  expires_at,
  revoked_at: momentOrNull('When the access was taken away, in UTC.'),
  created_at: moment('2026-11-21T12:07:50.269Z'),
  last_used_at,
  status: shownOnly(status.shown, {
    about: 'Only an `active` person can sign in.',
    example: 'active',
  }),
}

export const Person = { fields: FIELDS, ...schemasOf(FIELDS) }

export type CreatePerson = z.output<typeof Person.Create>
export type UpdatePerson = z.output<typeof Person.Update>
