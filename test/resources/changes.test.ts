import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, client, createKey, type Json, openTenant, unique } from '../tenant.ts'
import { createLocation, createOrder, createProduct, path, stock } from './warehouse.ts'

let api: Api
let db: D1Database

beforeAll(async () => {
  db = await openTenant()
  api = client((await createKey()).value)
})

describe('GET /changes/', () => {
  it('x', async () => {
    const start = await api.get('/changes/?from=start')
    console.log(JSON.stringify(start.body))
    const o = await createOrder(api)
    await stock(api)
    const p = await createProduct(api)
    const l = await createLocation(api)
    const all = await api.get('/changes/?from=start')
    console.log(JSON.stringify(all.body,null,1), all.headers.get("Server-Timing"))
  })
})
