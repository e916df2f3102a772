import { describe, expect, it } from 'vitest'
import type { Binding, Environment } from '../../scripts/tenant/environment.ts'
import { bindingFaults, objectFaults } from '../../scripts/tenant/rollback.ts'
import { targetOf, type Version } from '../../scripts/tenant/versions.ts'

const environment = { worker: 'shop', siblings: ['shop-eu'] } as Partial<Environment> as Environment
const ACME: Binding = { type: 'd1', name: 'DB_ACME', id: 'a' }
const DOMAIN: Binding = { type: 'plain_text', name: 'BASE_DOMAIN', text: 'shop.example' }
const SECRET: Binding = { type: 'secret_text', name: 'SESSION_SECRET' }
const NOW = [ACME, DOMAIN, SECRET]
const DATABASES = [{ id: 'a', name: 'shop-acme' }]

const versionOf = (bindings: Binding[], objects: string | null = 'one') =>
  ({ bindings, objects }) as Partial<Version> as Version

const faults = (then: Binding[], databases = DATABASES) =>
  bindingFaults(environment, versionOf(NOW), versionOf(then), databases as never)

describe('a version to go back to', () => {
  it('may be bound as the present one is, whatever else Cloudflare tells of bindings', () => {
    const told: Binding = { type: 'd1', name: 'DB_ACME', database_id: 'a', created_on: 'then' }
    expect(faults([told, DOMAIN, SECRET])).toEqual([])
  })

  it('may lack what its code does not know', () => {
    const metrics = { type: 'analytics_engine', name: 'METRICS', dataset: 'x' }
    const from = versionOf([...NOW, metrics])
    expect(bindingFaults(environment, from, versionOf(NOW), DATABASES as never)).toEqual([])
  })

  it('must be bound to each tenant of the environment, by its own database', () => {
    const others = [...DATABASES, { id: 'b', name: 'shop-beta' }, { id: 'c', name: 'shop-eu-acme' }]
    const cutOff = 'It has no binding for tenants, which would be cut off'
    expect(faults(NOW, others)).toEqual([`${cutOff}: beta.`])
    // Removed and made anew.
    const renewed = faults([{ ...ACME, id: 'z' }, DOMAIN, SECRET])
    expect(renewed).toEqual([`${cutOff}: acme.`, 'It is bound to tenants that were removed: acme.'])
  })

  it('must have the same secrets and values', () => {
    expect(faults([ACME, { ...DOMAIN, text: 'old.example' }])).toEqual([
      'It has other values for bindings: BASE_DOMAIN.',
      'It lacks secrets: SESSION_SECRET.',
    ])
  })

  it('must know the Durable Objects of now', () => {
    expect(objectFaults(versionOf([], 'two'), versionOf([], 'two'))).toEqual([])
    expect(objectFaults(versionOf([], 'two'), versionOf([], null))).toEqual([
      'A migration of Durable Objects is in the way: it has none, and now there is two.',
    ])
  })
})

describe('targetOf', () => {
  it('tells bindings of other resources apart', () => {
    const limit = {
      type: 'ratelimit',
      name: 'X',
      namespace_id: '1',
      simple: { limit: 9, period: 60 },
    }
    const all: Binding[] = [
      ACME,
      { ...ACME, id: 'b' },
      DOMAIN,
      { ...DOMAIN, text: 'y' },
      limit,
      { ...limit, simple: { limit: 8, period: 60 } },
      { type: 'kv_namespace', name: 'X', namespace_id: '1' },
      { type: 'r2_bucket', name: 'X', bucket_name: '1' },
      { type: 'r2_bucket', name: 'X', bucket_name: '1', jurisdiction: 'eu' },
    ]
    expect(new Set(all.map(targetOf)).size).toBe(all.length)
  })
})
