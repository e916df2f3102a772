import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { WORKERD } from '../fixtures/workerd.ts'

// workerd, without wrangler, refuses a flag that has become the default of the date.

it.each(['wrangler.toml', 'wrangler.router.toml'])(
  'workerd takes the flags of %s',
  async (config) => {
    const { compatibility_date, compatibility_flags } = readConfig(
      { config },
      { hideWarnings: true },
    )
    const folder = await mkdtemp(join(tmpdir(), 'flags-'))
    const file = join(folder, 'config.capnp')
    await writeFile(join(folder, 'worker.js'), "import 'node:crypto'\nexport default { test() {} }")
    await writeFile(
      file,
      `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (services = [(name = "main", worker = (
       modules = [(name = "worker", esModule = embed "worker.js")],
       compatibilityDate = "${compatibility_date}",
       compatibilityFlags = ${JSON.stringify(compatibility_flags)}))]);`,
    )
    const run = promisify(execFile)(WORKERD, ['test', file])
    await expect(run).resolves.toMatchObject({
      stderr: expect.not.stringContaining('compatibility flag'),
    })
    await rm(folder, { recursive: true })
  },
)

describe.each([undefined, 'staging', 'production'])('the logs of %s', (env) => {
  it('have our events, and no addresses of requests', () => {
    const { observability } = readConfig({ config: 'wrangler.toml', env }, { hideWarnings: true })
    expect(observability).toMatchObject({
      enabled: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    })
  })
})
