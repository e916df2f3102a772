import * as z from 'zod'
import { NoFields } from '../../fields.ts'
import { PageQuery } from '../../pagination.ts'
import { CreateApiKey, RotateApiKey, UpdateApiKey } from '../../settings/api-keys/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'
import { ScopeName } from '../fields.ts'

named('CreateApiKey', CreateApiKey)
named('UpdateApiKey', UpdateApiKey)
named('RotateApiKey', RotateApiKey)
named('Scope', ScopeName)

const ApiKeyRecord = named(
  'ApiKey',
  z.object({
    id: z.string(),
    name: z.string(),
    hint: z.string(),
    scopes: z.array(ScopeName),
    partner_id: z.string().nullable(),
    release: z.string(),
    rate_limit: z.int().nullable(),
    expires_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    rotated_from: z.string().nullable(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
    status: z.enum(['active', 'expired', 'revoked']),
  }),
)

const CreatedApiKey = named('CreatedApiKey', ApiKeyRecord.extend({ key: z.string() }))

const API_KEY: z.output<typeof ApiKeyRecord> = {
  id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01',
  name: 'Stock reader',
  hint: 'xd_demo_…Q7kD',
  scopes: ['integrations.inventory.read'],
  partner_id: null,
  release: 'current',
  rate_limit: null,
  expires_at: null,
  revoked_at: null,
  rotated_from: null,
  created_at: '2026-11-21T12:07:50.269Z',
  last_used_at: null,
  status: 'active',
}
const KEY = 'xd_demo_<the value, shown this once>'

const NOT_FOUND = { message: `No API key has the id "${API_KEY.id}".` }
const LAST_KEY = {
  message: "This is the workspace's last live key with settings.write: create another one first.",
}

export const apiKeys: Endpoint[] = [
  apiKey({
    method: 'post',
    path: '/api-keys/',
    operationId: 'createApiKey',
    scope: 'settings.write',
    summary: 'Create a key',
    description:
      'The answer holds `key`, the value itself, this once: only its hash is stored. Not safe to repeat: each request makes a key.',
    body: {
      schema: CreateApiKey,
      example: { name: 'Stock reader', scopes: ['integrations.inventory.read'] },
    },
    answer: {
      status: 201,
      description: 'The key, with its value.',
      data: CreatedApiKey,
      example: { ...API_KEY, key: KEY },
    },
    refuses: { VALIDATION_ERROR: wrong('scopes[0]', 'There is no scope "orders.read".') },
  }),
  apiKey({
    method: 'get',
    path: '/api-keys/',
    operationId: 'listApiKeys',
    scope: 'settings.read',
    summary: 'List keys',
    description: 'All keys, newest first, revoked and expired ones included.',
    query: PageQuery('api-keys'),
    answer: {
      description: 'A page of keys.',
      data: z.array(ApiKeyRecord),
      isPage: true,
      example: [API_KEY],
    },
  }),
  apiKey({
    method: 'get',
    path: '/api-keys/{id}/',
    operationId: 'findApiKey',
    scope: 'settings.read',
    summary: 'Find a key',
    description: 'The record; the value is never shown again.',
    answer: { description: 'The key.', data: ApiKeyRecord, example: API_KEY },
    refuses: { NOT_FOUND },
  }),
  apiKey({
    method: 'put',
    path: '/api-keys/{id}/',
    operationId: 'updateApiKey',
    scope: 'settings.write',
    summary: 'Update a key',
    description:
      'Replaces the fields that are given, from the very next request of the key on. Taking `settings.write` from the last live key that has it is `SERVICE_ERROR`. Safe to repeat.',
    body: {
      schema: UpdateApiKey,
      isOptional: true,
      example: { scopes: ['integrations.inventory.*'] },
    },
    answer: {
      description: 'The key, updated.',
      data: ApiKeyRecord,
      example: { ...API_KEY, scopes: ['integrations.inventory.*'] },
    },
    refuses: {
      VALIDATION_ERROR: wrong(
        'expires_at',
        'Must be in the future. To end a key at once, revoke it.',
      ),
      SERVICE_ERROR: LAST_KEY,
      NOT_FOUND,
    },
  }),
  apiKey({
    method: 'post',
    path: '/api-keys/{id}/rotate/',
    operationId: 'rotateApiKey',
    scope: 'settings.write',
    summary: 'Rotate a key',
    description:
      'A new key with the same name, scopes, partner, release, rate limit and expiry; its value is shown this once. The old one ends after `overlap_seconds`, at once without. A key that has ended is `SERVICE_ERROR`, and so is a repeated rotation without overlap.',
    body: { schema: RotateApiKey, isOptional: true, example: { overlap_seconds: 3600 } },
    answer: {
      status: 201,
      description: 'The new key, with its value.',
      data: CreatedApiKey,
      example: {
        ...API_KEY,
        id: '2d40a1c3-8a44-4b0d-a4c1-1b8f3a4be802',
        rotated_from: API_KEY.id,
        key: KEY,
      },
    },
    refuses: {
      VALIDATION_ERROR: wrong('overlap_seconds', 'Must be at most 604800.'),
      SERVICE_ERROR: { message: 'The key is revoked: create a new one instead.' },
      NOT_FOUND,
    },
  }),
  apiKey({
    method: 'delete',
    path: '/api-keys/{id}/',
    operationId: 'revokeApiKey',
    scope: 'settings.write',
    summary: 'Revoke a key',
    description:
      'Ends the key at once; the record is kept. The last live key with `settings.write` is `SERVICE_ERROR`. Safe to repeat.',
    body: { schema: NoFields, example: {} },
    answer: {
      description: 'The key, revoked.',
      data: ApiKeyRecord,
      example: { ...API_KEY, revoked_at: '2026-11-21T12:30:00.000Z', status: 'revoked' },
    },
    refuses: { SERVICE_ERROR: LAST_KEY, NOT_FOUND },
  }),
]

function apiKey<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('settings', 'API keys', telling)
}
