import * as z from 'zod'
import { exampleOf } from '../../engine/model/record.ts'
import { tooManyKeys } from '../../settings/api-keys/bound.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import { lastSettingsKey } from '../../settings/api-keys/queries.ts'
import { notRotated } from '../../settings/api-keys/rotate.ts'
import { ApiKey, RotateApiKey, ScopeName } from '../../settings/api-keys/schema.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { thrown, unknownRecord, wrong } from '../errors.ts'
import { scopesByRelease } from '../fields.ts'

named('CreateApiKey', ApiKey.Create, scopesByRelease('current'))
named('UpdateApiKey', ApiKey.Update, scopesByRelease('own'))
named('RotateApiKey', RotateApiKey)
named('Scope', ScopeName)
named('ApiKey', ApiKey.Shown)

const CreatedApiKey = named('CreatedApiKey', ApiKey.Shown.extend({ key: z.string().nullable() }))

const EXAMPLE = ApiKey.Shown.parse(exampleOf(ApiKey))
const KEY = 'xd_demo_<the value, shown this once>'

const NOT_FOUND = unknownRecord(`No API key has the id "${EXAMPLE.id}".`)

export const apiKeysReference = endpoints('settings', 'API keys', {
  'POST /api-keys/': {
    operationId: 'createApiKey',
    summary: 'Create a key',
    description:
      'Creates a key. Only this response shows its value, in `key`: we store a hash. A scope that your own key does not cover returns `SCOPE_MISSING`, and so does another `partner_id` than that of your own key, if it has one. A workspace has at most 10,000 live keys and webhooks; one more returns `SERVICE_ERROR`, and so does `own_orders_only` without a partner. Each repeated request creates another key.',
    body: {
      example: { name: 'Stock reader', scopes: ['integrations.inventory.read'] },
    },
    answer: {
      status: 201,
      description: 'The key with its value.',
      data: CreatedApiKey,
      example: { ...EXAMPLE, key: KEY },
    },
    errors: {
      VALIDATION_ERROR: wrong('scopes[0]', 'There is no scope "orders.read".'),
      ...thrown(tooManyKeys()),
    },
  },
  'GET /api-keys/': {
    operationId: 'listApiKeys',
    summary: 'List keys',
    description: 'Returns all keys, newest first, including revoked and expired ones.',
    answer: pageOf('keys', ApiKey.Shown, EXAMPLE),
  },
  'GET /api-keys/{id}/': {
    operationId: 'findApiKey',
    summary: 'Retrieve a key',
    description: 'Returns the key without its value, which is never shown again.',
    answer: { description: 'The key.', data: ApiKey.Shown, example: EXAMPLE },
    errors: { NOT_FOUND },
  },
  'PUT /api-keys/{id}/': {
    operationId: 'updateApiKey',
    summary: 'Update a key',
    description:
      'Replaces the given fields. The change takes effect with the next request of the key. To change any field but `name`, your own key must cover every scope that the key has afterwards, and if your own key is linked to a partner, the key must be linked to the same one afterwards; otherwise the response is `SCOPE_MISSING`. You cannot take `settings.keys.write` from the last live key that has it, or give an expired key a later expiry while 10,000 keys are live, or take the partner from a key with `own_orders_only`: all three return `SERVICE_ERROR`. You can repeat this request.',
    body: {
      example: { scopes: ['integrations.inventory.*'] },
    },
    answer: {
      description: 'The updated key.',
      data: ApiKey.Shown,
      example: { ...EXAMPLE, scopes: ['integrations.inventory.*'] },
    },
    errors: {
      VALIDATION_ERROR: wrong(
        'expires_at',
        'Must be in the future. To end a key at once, revoke it.',
      ),
      ...thrown(lastSettingsKey({ scopes: [] })),
      NOT_FOUND,
    },
  },
  'POST /api-keys/{id}/rotate/': {
    operationId: 'rotateApiKey',
    summary: 'Rotate a key',
    description:
      'Creates a key with the same name, scopes, partner, `own_orders_only`, release, rate limit and expiry. Only this response shows its value. The old key ends after `overlap_seconds`, or at once without it. A scope that your own key does not cover returns `SCOPE_MISSING`, because you would see the new value, and so does another partner than that of your own key, if it has one. A key that has ended returns `SERVICE_ERROR`, and so does a rotation with overlap while 10,000 keys are live. Each repeated request creates another key until the old key has ended.',
    body: { example: { overlap_seconds: 3600 } },
    answer: {
      status: 201,
      description: 'The new key with its value.',
      data: CreatedApiKey,
      example: {
        ...EXAMPLE,
        id: '2d40a1c3-8a44-4b0d-a4c1-1b8f3a4be802',
        rotated_from: EXAMPLE.id,
        key: KEY,
      },
    },
    errors: {
      VALIDATION_ERROR: wrong('overlap_seconds', 'Must be at most 604800.'),
      ...thrown(notRotated(API_KEY, 'revoked')),
      NOT_FOUND,
    },
  },
  'DELETE /api-keys/{id}/': {
    operationId: 'revokeApiKey',
    summary: 'Revoke a key',
    description:
      'Ends the key at once and keeps its record. Every key with `settings.keys.write` may revoke any key, but not the last live key with that scope: that returns `SERVICE_ERROR`. You can repeat this request.',
    answer: {
      description: 'The revoked key.',
      data: ApiKey.Shown,
      example: { ...EXAMPLE, revoked_at: '2026-11-21T12:30:00.000Z', status: 'revoked' },
    },
    errors: { ...thrown(lastSettingsKey({})), NOT_FOUND },
  },
})
