import * as z from 'zod'
import type { Account } from './account.ts'
import { type Call, type Endpoint, endpoint, jsonOf, pageOf, Refusal, success } from './call.ts'
import type { Runtime } from './runtime.ts'

const Creation = z.strictObject({ title: z.string().min(1).max(512) })

const Entries = z
  .array(z.strictObject({ key: z.string().min(1).max(512), value: z.string() }))
  .min(1)
  .max(10_000)

const NAMESPACES = '/accounts/:account/storage/kv/namespaces'

/** KV namespaces, made and listed, and their values, read, written and deleted. Two of one title cannot be. */
export function kvEndpoints(account: Account, runtime: Runtime): Endpoint[] {
  return [
    endpoint('kv.create', 'POST', NAMESPACES, (call) => {
      const { title } = jsonOf(call, Creation)
      if ([...account.namespaces.values()].some((known) => known.title === title)) {
        const message = 'a namespace with this account ID and title already exists'
        throw new Refusal(400, 10014, message)
      }
      const id = runtime.spareNamespaces.shift()
      if (id === undefined) throw new Error('There is no spare namespace left.')
      const namespace = { id, title }
      account.namespaces.set(namespace.id, namespace)
      return success({ ...namespace, supports_url_encoding: true })
    }),
    endpoint('kv.list', 'GET', NAMESPACES, (call) => {
      const all = [...account.namespaces.values()]
      return pageOf(
        call,
        all.sort((a, b) => a.title.localeCompare(b.title)),
      )
    }),
    endpoint('kv.put', 'PUT', `${NAMESPACES}/:namespace/bulk`, async (call) => {
      const entries = jsonOf(call, Entries)
      const values = Object.fromEntries(entries.map(({ key, value }) => [key, value]))
      await runtime.putValues(namespaceOf(account, call), values)
      return success({ successful_key_count: entries.length, unsuccessful_keys: [] })
    }),
    endpoint('kv.get', 'GET', `${NAMESPACES}/:namespace/values/:key`, async (call) => {
      const values = await runtime.values(namespaceOf(account, call))
      const value = values[call.params.key ?? '']
      if (value === undefined) throw new Refusal(404, 10009, 'key not found')
      return new Response(value)
    }),
    endpoint('kv.delete', 'DELETE', `${NAMESPACES}/:namespace/values/:key`, async (call) => {
      await runtime.deleteValue(namespaceOf(account, call), call.params.key ?? '')
      return success({})
    }),
  ]
}

function namespaceOf(account: Account, { params }: Call): string {
  const { namespace = '' } = params
  if (account.namespaces.has(namespace)) return namespace
  throw new Refusal(404, 10013, 'namespace not found')
}
