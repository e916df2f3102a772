import { describe, expect } from 'vitest'
import { addMigration, applied, effects, FILE, SLUGS, turnOf } from './migrating.ts'
import { it } from './staging.ts'

describe.concurrent('npm run tenant -- migrate', () => {
  it('migrates one tenant, once it has printed the restore point', async ({ staging }) => {
    await staging.add(...SLUGS)
    await addMigration(staging)
    const { code, stdout, stderr } = await staging.tenant('migrate', 'beta')
    expect([code, stdout]).toEqual([0, `beta: ${FILE} applied\n`])
    expect(stderr).toMatch(
      /^beta: 0099_test\.sql\n {2}Restore point \.\.\. [0-9a-f-]{59} \(.*\n {2}Applying \.\.\. done/m,
    )
    expect(effects(staging)).toEqual(turnOf('beta'))
    expect(await applied(staging)).toEqual({ acme: false, beta: true, gamma: false })
  })
})
