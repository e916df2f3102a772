import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../scripts/failure.ts'
import type { Tenant } from '../../scripts/tenant/environment.ts'
import { inParallel } from '../../scripts/tenant/parallel.ts'

const tenants = Array.from({ length: 12 }, (_, i): Tenant => {
  const slug = `t${i + 1}`
  return { slug, binding: `DB_T${i + 1}`, database_name: slug, database_id: slug }
})

describe('inParallel', () => {
  it('asks four at a time, and answers in the order of the tenants', async () => {
    let [open, most] = [0, 0]
    const answers = await inParallel(tenants, async ({ slug }) => {
      most = Math.max(most, ++open)
      await sleep(slug.length === 2 ? 20 : 1)
      open -= 1
      return slug
    })
    expect(answers).toEqual(tenants.map(({ slug }) => slug))
    expect(most).toBe(4)
  })

  it('names the first tenant that cannot be asked, and begins no other', async () => {
    const begun: string[] = []
    const answers = inParallel(tenants, async ({ slug }) => {
      begun.push(slug)
      await sleep(slug === 't2' ? 1 : 20)
      if (slug === 't2') throw new Failure('its database is gone.')
    })
    await expect(answers).rejects.toThrow(
      new Failure('t2 could not be read: its database is gone.'),
    )
    await sleep(60)
    expect(begun).toEqual(['t1', 't2', 't3', 't4'])
  })

  it('throws what is no Failure as it is', async () => {
    const bug = new TypeError('a bug')
    await expect(inParallel(tenants, () => Promise.reject(bug))).rejects.toBe(bug)
  })
})
