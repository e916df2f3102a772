import { spawnSync } from 'node:child_process'
import { jsonSlices } from '../src/db/json.ts'
import type { JsonObject } from '../src/fields.ts'
import { mapDocument } from '../src/mapping/inbound.ts'
import { checkRows } from '../src/resources/inventory/rows.ts'
import { UpsertInventory } from '../src/resources/inventory/schema.ts'

// A program: `node bench/upload-heap.ts`. The smallest V8 heap in which an inventory upload of
// 10 MB can be read, mapped, checked and sliced for D1, everything held until the end as in a
// request. workerd reports no peak, so V8 is asked the other way round: where does it give up?

const BODY_BYTES = 10 * 1024 * 1024
const HEAPS_MB = Array.from({ length: 25 }, (_, step) => 40 + step * 4)

const MAPPING = {
  unmapped: 'reject' as const,
  fields: {
    'inventory[].location_code': 'stock[].bin',
    'inventory[].sku_code': 'stock[].article.sku',
    'inventory[].quantity': 'stock[].on_hand',
    source: { value: 'erp_sync' },
  },
}

const SHAPES = {
  plain: {
    name: 'inventory',
    row: (n: number) => `"location_code":"${bin(n)}","sku_code":"${sku(n)}","quantity":${n % 500}`,
  },
  mapped: {
    name: 'stock',
    row: (n: number) => `"bin":"${bin(n)}","article":{"sku":"${sku(n)}"},"on_hand":${n % 500}`,
  },
}
type Shape = keyof typeof SHAPES

const [shape] = process.argv.slice(2)
if (shape === 'plain' || shape === 'mapped') upload(shape)
else for (const each of Object.keys(SHAPES)) console.log(`${each}: ${smallestHeap(each)}`)

function smallestHeap(each: string): string {
  for (const heap of HEAPS_MB) {
    const args = [`--max-heap-size=${heap}`, import.meta.filename, each]
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status === 0) return `${heap} MB of heap suffice for ${stdout.trim()}`
  }
  return `more than ${HEAPS_MB.at(-1)} MB of heap`
}

function upload(each: Shape): void {
  const payload = JSON.parse(new TextDecoder().decode(bodyOf(each))) as JsonObject
  const document = each === 'mapped' ? mapDocument('inventory', MAPPING, payload, 'POST') : null
  const warnings = document?.unread() ?? []
  const { inventory } = UpsertInventory.parse(document?.value ?? payload)
  const { valid } = checkRows(inventory)
  const slices = jsonSlices(valid.map((row) => [row.location_code, row.sku_code, row.quantity]))
  const codes = jsonSlices(new Set(valid.map((row) => row.sku_code)))
  const held = [payload, inventory, valid, slices, codes, warnings]
  console.log(`${valid.length} rows, ${slices.length} slices, ${held.length} values held`)
}

/** Rows of distinct SKUs, as many as fit. */
function bodyOf(each: Shape): Uint8Array {
  const { name, row } = SHAPES[each]
  const body = Buffer.alloc(BODY_BYTES)
  let length = body.write(`{"${name}":[{${row(0)}}`)
  for (let n = 1; ; n++) {
    const text = `,{${row(n)}}`
    if (length + text.length + 2 > BODY_BYTES) break
    length += body.write(text, length)
  }
  length += body.write(']}', length)
  return body.subarray(0, length)
}

function bin(n: number): string {
  return `A-${String(n % 1000).padStart(3, '0')}`
}

function sku(n: number): string {
  return `SKU-${String(n).padStart(6, '0')}`
}
