import type { Benchmark, Figure } from './figure.ts'
import { startCrossdock } from './server.ts'
import { createPartner, send } from './upload.ts'
import { largestBody, type Shape, UPLOADED_PRODUCTS } from './upload-body.ts'
import { fillLocations, fillProducts } from './warehouse.ts'

const HEAP_MB = { least: 16, most: 144, step: 4 }
// A quick run only checks whether it is below the goal.
const QUICK_HEAP_MB = { least: 32, most: 96, step: 64 }

/**
 * workerd does not report its peak memory. So this finds the smallest heap in which the upload succeeds. V8 gives
 * each isolate of the process the same limit, also that of the local D1.
 */
export const uploadHeap: Benchmark = {
  names: ['upload_peak_heap_mb'],
  summary: 'the smallest V8 heap in which an inventory upload of 10 MB succeeds',
  async run({ quick, say }) {
    const figures: Figure[] = []
    for (const shape of ['pass_through', 'mapped'] as const) {
      const value = await smallestHeap(shape, quick ? QUICK_HEAP_MB : HEAP_MB, say)
      const bound = { below: 100 }
      figures.push({ name: 'upload_peak_heap_mb', of: shape, value, unit: 'MB', bound })
    }
    return figures
  },
}

async function smallestHeap(
  shape: Shape,
  { least, most, step }: typeof HEAP_MB,
  say: (text: string) => void,
): Promise<number> {
  const trial = async (heap: number) => {
    const isEnough = await succeeds(shape, heap)
    say(`${shape}: ${heap} MB ${isEnough ? 'is enough' : 'is not enough'}`)
    return isEnough
  }
  if (!(await trial(most))) throw new Error(`The upload needs more than ${most} MB.`)
  let [fails, suffices] = [least, most]
  while (suffices - fails > step) {
    const heap = Math.round((fails + suffices) / 2 / step) * step
    if (await trial(heap)) suffices = heap
    else fails = heap
  }
  return suffices
}

/** Whether the upload succeeds. Throws if it fails for another reason than the heap. */
async function succeeds(shape: Shape, heapMb: number): Promise<boolean> {
  const words: string[] = []
  const close: (() => Promise<void>)[] = []
  process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${heapMb}`
  try {
    const server = await startCrossdock({ log: (text) => words.push(text) })
    close.push(server.close)
    await fillProducts(server.db, UPLOADED_PRODUCTS)
    await fillLocations(server.db)
    const headers = shape === 'mapped' ? await createPartner(server) : server.headers
    await send(server, headers, largestBody(shape))
    return true
  } catch (error) {
    if (words.some((text) => text.includes('heap out of memory'))) return false
    throw error
  } finally {
    delete process.env.MINIFLARE_WORKERD_V8_FLAGS
    for (const end of close) await end().catch(() => {})
  }
}
