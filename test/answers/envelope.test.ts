import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'

let api: ReturnType<typeof client>

beforeAll(async () => {
  api = client((await createKey()).value)
})

const fieldsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, 1]))

describe('warnings', () => {
  it('are left out when there are none', async () => {
    const { body } = await api.post('/products/', { sku: unique('S') })
    expect(body).not.toHaveProperty('warnings')
  })

  it('are all listed up to a hundred', async () => {
    const { body } = await api.post('/products/', { sku: unique('S'), ...fieldsOf(100) })
    expect(body.warnings).toHaveLength(100)
    expect(body.warnings[99].field).toBe('field99')
  })

  it('are counted beyond a hundred', async () => {
    const { body } = await api.post('/products/', { sku: unique('S'), ...fieldsOf(105) })
    expect(body.warnings).toHaveLength(101)
    expect(body.warnings[100]).toEqual({
      field: 'warnings',
      message: '5 more warnings are not listed.',
    })
  })

  it.each(sample(['/products/', '/orders/', '/locations/', '/inventory/'], 1))(
    'of 150,000 unknown fields at %s are no 500',
    async (path) => {
      const name = unique('N')
      const { status } = await api.post(path, { ...fieldsOf(150_000), sku: name, code: name })
      expect([201, 400]).toContain(status)
    },
  )

  it('of an upload are bounded too', async () => {
    const { body } = await api.post('/inventory/', { inventory: [fieldsOf(50_000)] })
    expect(body.data.failed).toBe(1)
    const [sku, code] = [unique('S'), unique('L')]
    await api.post('/products/', { sku })
    await api.post('/locations/', { code })
    const row = { location_code: code, sku_code: sku, quantity: 1, ...fieldsOf(50_000) }
    const answer = await api.post('/inventory/', { inventory: [row] })
    expect(answer.body.warnings).toHaveLength(101)
  })

  it.each(['/products/', '/locations/'])('name what a DELETE of %s was sent', async (path) => {
    const name = unique('N')
    await api.post(path, { sku: name, code: name })
    const { status, body } = await api.delete(`${path}${name}/`, { reason: 'gone' })
    expect(status).toBe(200)
    expect(body.warnings).toEqual([{ field: 'reason', message: expect.any(String) }])
  })
})
