import { describe, expect, it } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'

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
