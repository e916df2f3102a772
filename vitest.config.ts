import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'

// Storage is fresh for each test file. DB_OTHER is a second tenant; see test/tenant.ts.
export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: { MIGRATIONS: await readD1Migrations('migrations') },
        d1Databases: { DB_DEMO: 'demo', DB_OTHER: 'other' },
      },
    })),
  ],
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    silent: 'passed-only',
  },
})
