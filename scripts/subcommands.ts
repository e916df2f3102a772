/** Takes the arguments after its name. Returns the exit code or throws a Failure. */
type Subcommand = (args: string[]) => Promise<number>

/** `load` imports a program when it is run: most of them load packages that others do not need. */
export const SUBCOMMANDS: Record<string, { summary: string; load: () => Promise<Subcommand> }> = {
  dev: {
    summary: 'serve the local tenant demo with sample data (npm start); PORT sets the port',
    load: async () => (await import('./dev.ts')).dev,
  },
  tenant: {
    summary:
      'add, list, move, back up, restore and remove tenants, locally or at Cloudflare (npm run tenant)',
    load: async () => (await import('./tenant.ts')).tenant,
  },
  deploy: {
    summary: 'deploy the Worker to an environment if that is safe for its tenants (npm run deploy)',
    load: async () => (await import('./deploy.ts')).deploy,
  },
  alerts: {
    summary: "ask the alert rules about an environment's metrics (npm run alerts)",
    load: async () => (await import('./alerts.ts')).alerts,
  },
  advisories: {
    summary: 'ask the registry for advisories about what is deployed (npm run advisories)',
    load: async () => (await import('./advisories.ts')).advisories,
  },
  check: {
    summary:
      'check types, lint and layout, and run the tests (npm test); --deep runs what goes beyond them (npm run test:deep)',
    load: async () => (await import('./check.ts')).check,
  },
  assets: {
    summary:
      'build dist/assets: dashboard scripts and styles, OpenAPI documents, API reference, mapping starters, webhook presets',
    load: async () => (await import('./assets.ts')).assets,
  },
  bench: {
    summary: 'measure speed and size, compared with a bare Worker (npm run bench)',
    load: async () => (await import('../bench/bench.ts')).bench,
  },
  crash: {
    summary: 'kill npm start under load and verify that nothing is lost (npm run test:crash)',
    load: async () => (await import('../test/crash/crash.ts')).crash,
  },
  contract: {
    summary:
      'write down what every endpoint and page answers, to compare two versions (npm run contract)',
    load: async () => (await import('../test/contract/contract.ts')).contract,
  },
  faults: {
    summary: 'test random requests with injected faults against a model (npm run test:faults)',
    load: async () => (await import('./faults.ts')).faults,
  },
  smoke: {
    summary: 'try a deployed tenant by its API (npm run smoke)',
    load: async () => (await import('./smoke.ts')).smoke,
  },
  tidy: {
    summary:
      'check the layers of src/, names, migrations, links in documents, the lock file and workflows',
    load: async () => (await import('./tidy.ts')).tidy,
  },
}
