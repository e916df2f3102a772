import worker, { DeliveryDriver, RateLimiter } from '../src/index.ts'
import { type Calls, countedBindings } from '../test/fixtures/metering.ts'

export { DeliveryDriver, RateLimiter }

/**
 * The Worker with a delay for each call to D1 and KV, as the request's headers say. The response's headers count
 * the calls before the answer, so without the audit row of a read.
 */
export default {
  async fetch(request, _, context) {
    const d1 = Number(request.headers.get('X-D1-Ms'))
    const kv = Number(request.headers.get('X-KV-Ms'))
    const away = (call: keyof Calls) => scheduler.wait(call === 'd1' ? d1 : kv)
    const { bindings, calls } = countedBindings(away)
    const answer = await worker.fetch(request, bindings as Cloudflare.Env, context)
    const { d1: d1_calls, kv_reads } = calls
    const response = new Response(answer.body, answer)
    response.headers.set('X-D1-Calls', String(d1_calls))
    response.headers.set('X-KV-Reads', String(kv_reads))
    return response
  },
} satisfies ExportedHandler<Cloudflare.Env>
