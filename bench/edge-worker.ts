import worker, { RateLimiter } from '../src/index.ts'
import { type Calls, countedBindings } from '../test/metering.ts'

export { RateLimiter }

/**
 * The Worker, as many ms away from its bindings as the request's headers say, until it answers: what
 * it does afterwards is done before the next request. The answer's headers tell the calls until then.
 */
export default {
  async fetch(request, _, context) {
    const d1 = Number(request.headers.get('X-D1-Ms'))
    const kv = Number(request.headers.get('X-KV-Ms'))
    let answered = false
    const away = async (call: keyof Calls) => {
      if (!answered) await scheduler.wait(call === 'd1' ? d1 : kv)
    }
    const { bindings, calls } = countedBindings(away)
    const answer = await worker.fetch(request, bindings as Cloudflare.Env, context)
    answered = true
    const { d1: d1_calls, kv_reads } = calls
    const response = new Response(answer.body, answer)
    response.headers.set('X-D1-Calls', String(d1_calls))
    response.headers.set('X-KV-Reads', String(kv_reads))
    return response
  },
} satisfies ExportedHandler<Cloudflare.Env>
