import { describe, expect, it } from 'vitest'
import { copiedBlocks, withoutRoutes } from '../../scripts/tenant/config-text.ts'

const FILE = `name = "crossdock"
routes = ["kept.example/*"]

[env.production]
name = "warehouse"
# Of the zone.
routes = [
  { pattern = "*.crossdock.example/*", zone_name = "crossdock.example" },
  { pattern = "*.other.example/*", zone_name = "other.example" },
]
placement = { mode = "smart" }

[env.production.vars]
BASE_DOMAIN = "crossdock.example"
TENANTS_MAX = 9
name = "a variable"

[[env.production.kv_namespaces]]
binding = "KEYS"
id = "1"

[[env.production.kv_namespaces]]
binding = "MORE"
id = "2"

[[env.production.d1_databases]]
binding = "DB_ACME"

[env.production-eu]
name = "another"

[[env.production.r2_buckets]]
binding = "DOCUMENTS"
`

describe('the blocks of a new group', () => {
  it('are those of the first, without what is its own', () => {
    const [about, ...lines] = copiedBlocks(FILE, 'production', 'production-2').split('\n')
    expect(about).toMatch(/^# A group of the tenants of production/)
    expect(lines.join('\n')).toBe(`[env.production-2]
placement = { mode = "smart" }

[env.production-2.vars]
BASE_DOMAIN = "crossdock.example"
name = "a variable"

[[env.production-2.kv_namespaces]]
binding = "KEYS"

[[env.production-2.kv_namespaces]]
binding = "MORE"
id = "2"

[[env.production-2.r2_buckets]]
binding = "DOCUMENTS"`)
  })
})

describe('the routes of an environment', () => {
  it.each([
    ['in several lines', FILE],
    ['in one line', FILE.replace(/routes = \[\n[^\]]*\]/, 'route = "*.crossdock.example/*"')],
  ])('go, and nothing else does: %s', (_, file) => {
    expect(withoutRoutes(file, 'production')).toBe(
      FILE.replace(/routes = \[\n[^\]]*\]\n/, '').replace(
        '[env.production]\n',
        '[env.production]\n# wrangler.router.toml has the routes.\n',
      ),
    )
  })

  it('that never end are left for the check of the file to find', () => {
    const broken = '[env.a]\nroutes = [\nx = 1\n'
    expect(withoutRoutes(broken, 'a')).toContain('x = 1')
  })
})
