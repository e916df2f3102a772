import { describe, expect } from 'vitest'
import { deployments } from './deploying.ts'
import { it, type Staging } from './staging.ts'

const DOCS = 'https://developers.cloudflare.com'

/** What the stand-in answers a rollback (test/tenants/cloudflare/scripts.ts), and where Cloudflare says so. */
const DOCUMENTED = [
  {
    answer: 'the list of deployments: the first one serves',
    page: `${DOCS}/api/go/resources/workers/subresources/scripts/subresources/deployments/`,
  },
  {
    answer: 'ten of them',
    page: 'https://www.mintlify.com/cloudflare/workers-sdk/commands/deployments',
  },
  {
    // No page says whether `until` itself is among them: the command takes either.
    answer: '`since` and `until` choose others',
    page: 'https://www.pulumi.com/registry/packages/cloudflare/api-docs/getworkersdeployments/',
  },
  {
    answer: '`deployable=true`: what can be deployed, without pages; else `page` and `per_page`',
    page: `${DOCS}/api/operations/worker-versions-list-versions`,
  },
  {
    answer: 'the newest 100 versions can be deployed',
    page: `${DOCS}/changelog/2025-09-11-increased-version-rollback-limit/`,
  },
  {
    answer: 'a deployment over changed secrets wants `force`',
    page: `${DOCS}/api/operations/worker-deployments-create-deployment`,
  },
]

const SECRET = 'for tests only, for tests only, for tests only'

async function deployed(staging: Staging, version: string): Promise<void> {
  const text = await staging.project.read('package.json')
  await staging.project.write(
    'package.json',
    text.replace(/"version": "[^"]+"/, `"version": "${version}"`),
  )
  const { code, stderr } = await staging.deploy('--env', 'staging')
  expect(code, stderr).toBe(0)
}

async function rollback(staging: Staging, ...args: string[]) {
  return await staging.deploy('--env', 'staging', '--rollback', ...args)
}

/** Deploys the code that serves once more, many times: each changed secret does. */
async function manyDeployments({ cloudflare, wrangler }: Staging, count: number): Promise<void> {
  for (let done = 0; done < count; done++) {
    const { code, stderr } = await wrangler(['secret', 'put', 'SPARE', '--env', 'staging'], SECRET)
    expect(code, stderr).toBe(0)
  }
  cloudflare.recover()
}

describe.concurrent('npm run deploy -- --rollback, far back', () => {
  it(`finds the code of before beyond the newest ten deployments (${DOCUMENTED.length} pages)`, async ({
    staging,
  }) => {
    await staging.add('acme')
    await deployed(staging, '0.1.0')
    await staging.wrangler(['secret', 'put', 'SPARE', '--env', 'staging'], SECRET)
    await deployed(staging, '0.2.0')
    await manyDeployments(staging, 11)
    const { code, stdout, stderr } = await rollback(staging)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('is rolled back to 0.1.0+')
    const lists = staging.cloudflare.calls.filter(({ kind }) => kind === 'deployment.list')
    expect(lists.some(({ query }) => 'until' in query)).toBe(true)

    // And forward again to a version that the list of deployments names only on its second page.
    const [, id = ''] = /from {2}0\.2\.0\S* \((\S+),/.exec(stderr) ?? []
    const forward = await rollback(staging, '--to', id)
    expect(forward.code, forward.stderr).toBe(0)
    const unknown = await rollback(staging, '--to', crypto.randomUUID())
    expect(unknown.stderr).toMatch(/No version \S+ can be deployed to crossdock-staging\./)
  })

  it('waits while the list of deployments is behind', async ({ staging }) => {
    await staging.add('acme')
    for (const version of ['0.1.0', '0.2.0', '0.3.0']) await deployed(staging, version)
    staging.cloudflare.recover()
    staging.cloudflare.lags = true
    const behind = await rollback(staging)
    expect(behind.code).toBe(1)
    expect(behind.stderr).toMatch(/says that 0\.2\.0\S* serves, and acme answers as 0\.3\.0/)
    expect(deployments(staging)).toEqual([])
    staging.cloudflare.lags = false
    const { code, stdout, stderr } = await rollback(staging)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('is rolled back to 0.2.0+')
  })
})
