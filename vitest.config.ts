import { randomInt } from 'node:crypto'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import type { TestCase } from 'vitest/node'
import { drawFiles, testFiles } from './test/fixtures/deep-files.ts'

// Every test file loads these packages again. Bundled into one module each, that takes little more than half the time.
const BUNDLED = [
  'zod',
  'drizzle-orm',
  'drizzle-orm/d1',
  'drizzle-orm/sqlite-core',
  'fast-check',
  'saxes',
]

// `npm test` is quick, `npm run test:deep` sets DEEP=1 and DRAW=1, with `--whole` WHOLE=1 instead of DRAW=1. What they
// decide, and nothing else:
// - files named *.deep.test.ts run with DEEP only;
// - test/fixtures/depth.ts leaves tests to DEEP, and gives the others fewer runs and rows of long tables without it. WHOLE spares
//   no row;
// - with DRAW, only files run that do more with DEEP, and of them about half (test/fixtures/deep-files.ts).
// The seed that draws files and rows is printed; SEED=<number> draws them again.
const DEEP = process.env.DEEP === '1'
const WHOLE = process.env.WHOLE === '1'
const DRAW = process.env.DRAW === '1'
const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
const LEFT_OUT = DRAW ? notDrawn() : DEEP ? [] : ['**/*.deep.test.*']

function notDrawn(): string[] {
  const { all, deep } = testFiles()
  const drawn = new Set(drawFiles(deep, seed))
  return all.filter((file) => !drawn.has(file))
}

/** Options for test/faults/random*.test.ts. scripts/faults.ts sets them. Its seed is that of test/deliveries/shops.deep.test.ts, too. */
const { RANDOM_RUNS = DEEP ? '250' : '8', RANDOM_PATH } = process.env
const RANDOM = { runs: Number(RANDOM_RUNS), seed, ...(RANDOM_PATH && { path: RANDOM_PATH }) }

const SHARED = {
  // The deep pass has longer tests, and runs on machines that are half as fast.
  testTimeout: DEEP ? 240_000 : 60_000,
  hookTimeout: 120_000,
  // Instead of one second: what is polled for may be a page that a busy machine is still drawing.
  expect: { poll: { timeout: 10_000 } },
  // With two, a core is idle while tests wait.
  maxWorkers: 3,
  provide: { depth: { deep: DEEP, whole: WHOLE, seed } },
}

const ENDS_WITH_PARENT = ['--import', `${import.meta.dirname}/test/fixtures/end-with-parent.ts`]

/** Tests of plain modules, without a binding or a server. They run in Node. */
const PURE = [
  'test/log/{explanation,kept-document}.test.ts',
  'test/contract/contract.test.ts',
  'test/dashboard/{marks,object}.test.ts',
  'test/deployment/*.test.ts',
  'test/formats/*.test.ts',
  'test/json/*.test.ts',
  'test/redaction/*.test.ts',
  'test/db/full-database.test.ts',
  'test/identity/{escaped-keys,key,scopes}.test.ts',
  'test/limits/*.test.ts',
  'test/mapping/*.test.ts',
  'test/metrics/{alerts,ask-alerts,events}.test.ts',
  'test/openapi/patterns*.test.ts',
  'test/records/upload-rows.test.ts',
  'test/secrets/search.test.ts',
  'test/settings/drift.test.ts',
  'test/starters/*.test.ts',
  'test/tidy/*.test.ts',
  'test/webhook-presets/*.test.ts',
  'test/webhooks/{changed-at,libraries,understand}.test.ts',
]

/** The files that a project leaves to the others, or to another pass. */
const elsewhere = (...folders: string[]) => [...folders, ...LEFT_OUT]

/** Prints the notices of tests, even if they pass. */
const notices = {
  onTestRunStart() {
    if (!WHOLE) console.log(` samples are drawn by SEED=${seed}`)
  },
  onTestCaseResult(test: TestCase) {
    const { notice } = test.meta()
    if (notice !== undefined) console.log(` ${notice}`)
  },
}

/**
 * Projects with different group orders run one after the other, and a core is idle at the end of each. In the quick pass
 * all share the machine; in the deep one the browser tests, which wait for much more, have it alone.
 */
function served(name: string, groupOrder: number) {
  return {
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: elsewhere(),
    globalSetup: 'test/fixtures/served-build.ts',
    setupFiles: 'test/fixtures/secrets/node.ts',
    execArgv: ENDS_WITH_PARENT,
    sequence: { groupOrder: DEEP ? groupOrder : 0 },
    isolate: false,
    ...SHARED,
    ...(DEEP && { maxWorkers: 1 }),
  }
}

export default defineConfig({
  test: {
    silent: 'passed-only',
    reporters: ['default', notices],
    projects: [
      {
        test: {
          name: 'node',
          include: PURE,
          exclude: elsewhere(),
          setupFiles: 'test/fixtures/secrets/node.ts',
          execArgv: ENDS_WITH_PARENT,
          isolate: false,
          ...SHARED,
        },
      },
      {
        // Inside workerd. Three of them take turns at the files, with new storage and modules for each file
        // (test/fixtures/secrets/workerd.ts). DB_OTHER is a second tenant (test/fixtures/tenant.ts).
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                MIGRATIONS: await readD1Migrations('migrations'),
                SESSION_SECRET: 'for tests only, for tests only, for tests only',
                WEBHOOK_SECRET_KEY: 'for tests only, for tests only, for webhooks',
                RANDOM,
              },
              d1Databases: { DB_DEMO: 'demo', DB_OTHER: 'other' },
            },
          })),
        ],
        test: {
          name: 'workerd',
          globalSetup: 'test/fixtures/isolate-build.ts',
          setupFiles: 'test/fixtures/secrets/workerd.ts',
          deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: elsewhere('test/served/**', 'test/browser/**', 'test/tenants/**', ...PURE),
          isolate: false,
          ...SHARED,
        },
      },
      // In Node, against the built Worker on its own port (test/fixtures/server.ts).
      { test: served('served', 1) },
      // The same, with pages in Chromium.
      { test: served('browser', 2) },
      // In Node: wrangler against a simulated Cloudflare on loopback (test/tenants/cloudflare.ts), and `npm start`.
      {
        test: {
          name: 'tenants',
          include: ['test/tenants/**/*.test.ts'],
          exclude: elsewhere(),
          globalSetup: 'test/fixtures/served-build.ts',
          setupFiles: 'test/fixtures/secrets/node.ts',
          execArgv: ENDS_WITH_PARENT,
          sequence: { groupOrder: DEEP ? 3 : 0 },
          isolate: false,
          // The programs that these tests start each need a core.
          maxConcurrency: 2,
          ...SHARED,
          ...(DEEP && { maxWorkers: 2 }),
          // A test starts many programs, which take long on a busy machine. Only a hang reaches this limit.
          testTimeout: 600_000,
        },
      },
    ],
  },
})
