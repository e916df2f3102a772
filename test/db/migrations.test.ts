import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'

describe('the migrations that a build knows', () => {
  it('are the files of migrations/, in their order', () => {
    expect(MIGRATIONS).toEqual(env.MIGRATIONS.map(({ name }) => name))
  })
})
