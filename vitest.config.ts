import { randomInt } from 'node:crypto'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import type { TestCase } from 'vitest/node'

// Every file loads these anew, and each as one module in little more than half the time.
const BUNDLED = ['zod', 'drizzle-orm', 'drizzle-orm/d1', 'drizzle-orm/sqlite-core', 'fast-check']

const TIMEOUTS = { testTimeout: 30_000, hookTimeout: 60_000 }

/** What faults/random.ts asks of test/faults/random.test.ts. Nobody asking, the seed is a new one. */
const { RANDOM_RUNS = '2000', RANDOM_SEED = String(randomInt(2 ** 31)), RANDOM_PATH } = process.env
const RANDOM = {
  runs: Number(RANDOM_RUNS),
  seed: Number(RANDOM_SEED),
  ...(RANDOM_PATH && { path: RANDOM_PATH }),
}

/** Prints what a test wants to be seen even if it passes. */
const notices = {
  onTestCaseResult(test: TestCase) {
    const { notice } = test.meta()
    if (notice !== undefined) console.log(` ${notice}`)
  },
}

/** One project after the other: a browser wants the machine to itself. */
function served(name: string, groupOrder: number) {
  return {
    name,
    include: [`test/${name}/**/*.test.ts`],
    globalSetup: 'test/served/build.ts',
    setupFiles: 'test/secrets/node.ts',
    sequence: { groupOrder },
    ...TIMEOUTS,
  }
}

export default defineConfig({
  test: {
    silent: 'passed-only',
    reporters: ['default', notices],
    projects: [
      {
        // Inside workerd. Storage is fresh for each test file. DB_OTHER is a second tenant; see
        // test/tenant.ts.
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                MIGRATIONS: await readD1Migrations('migrations'),
                SESSION_SECRET: 'for tests only, for tests only, for tests only',
                RANDOM,
              },
              d1Databases: { DB_DEMO: 'demo', DB_OTHER: 'other' },
            },
          })),
        ],
        test: {
          name: 'workerd',
          setupFiles: 'test/secrets/workerd.ts',
          deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/served/**', 'test/browser/**', 'test/tenants/**'],
          ...TIMEOUTS,
        },
      },
      // In Node, against the built Worker on a port of its own; see test/served/server.ts.
      { test: served('served', 1) },
      // The same in Debian's Chromium.
      { test: served('browser', 2) },
      // In Node: wrangler against a Cloudflare on loopback (test/tenants/cloudflare.ts), and `npm start`.
      {
        test: {
          name: 'tenants',
          include: ['test/tenants/**/*.test.ts'],
          globalSetup: 'test/served/build.ts',
          setupFiles: 'test/secrets/node.ts',
          sequence: { groupOrder: 3 },
          // Of programs that each want a processor.
          maxConcurrency: 2,
          maxWorkers: 2,
          ...TIMEOUTS,
          testTimeout: 120_000,
        },
      },
    ],
  },
})
