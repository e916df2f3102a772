import { afterEach, describe, expect, it, vi } from 'vitest'
import { smoke } from '../../scripts/smoke.ts'
import { served } from './serving.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

async function tryWith(scopes: string[], url = served.origin) {
  vi.stubEnv('SMOKE_API_KEY', await served.createKey(scopes))
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  const code = await smoke([url])
  return { code, printed: printed.mock.calls.flat() }
}

describe('npm run smoke', () => {
  it('tries a tenant by its API, twice if need be', async () => {
    const scopes = ['integrations.orders.*', 'integrations.products.*']
    for (const url of [served.origin, `${served.origin}/`]) {
      const { code, printed } = await tryWith(scopes, url)
      expect(code).toBe(0)
      expect(printed.at(-1)).toMatch(/ serves \d+\.\d+\.\d+, and its API works\.$/)
    }
  })

  it('says what is wrong', async () => {
    await expect(tryWith(['integrations.orders.read'])).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(
        /^POST \S+\/products\/: 403 .*\([0-9a-f-]{36}\); expected 201\.$/,
      ),
    })
    await expect(tryWith([], 'http://127.0.0.1:1')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^GET \/healthz\/: /),
    })
  })

  it.each([[[]], [['acme']], [['http://one', 'http://two']], [['--now']]])(
    'wants one address: %s',
    async (args) => {
      await expect(smoke(args)).rejects.toMatchObject({ exitCode: 2 })
    },
  )

  it('wants a key', async () => {
    vi.stubEnv('SMOKE_API_KEY', '')
    await expect(smoke([served.origin])).rejects.toMatchObject({ exitCode: 2 })
  })
})
