import type { Benchmark } from './figure.ts'
import { startCrossdock } from './server.ts'
import { fillLines, fillOrders, fillProducts } from './warehouse.ts'

const ORDERS = 10_000

export const storage: Benchmark = {
  names: ['bytes_per_order'],
  summary: 'what an order of three lines takes in D1, indexes included',
  async run() {
    const { db, close } = await startCrossdock()
    try {
      await fillProducts(db, ORDERS)
      const before = await bytesOf(db)
      await fillOrders(db, ORDERS)
      await fillLines(db, ORDERS)
      const value = ((await bytesOf(db)) - before) / ORDERS
      return [{ name: 'bytes_per_order', value, unit: 'bytes', bound: { atMost: 800 } }]
    } finally {
      await close()
    }
  },
}

async function bytesOf(db: D1Database): Promise<number> {
  return (await db.prepare('select 1').run()).meta.size_after
}
