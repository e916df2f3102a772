import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Account } from './account.ts'
import { type Endpoint, jsonOf, pageOf, Refusal, success } from './call.ts'

const Creation = z.strictObject({ title: z.string().min(1).max(512) })

const NAMESPACES = '/accounts/:account/storage/kv/namespaces'

/** KV namespaces, made and listed. Two of one title cannot be. */
export function kvEndpoints(account: Account): Endpoint[] {
  return [
    {
      kinds: ['kv.create'],
      method: 'POST',
      path: NAMESPACES,
      handle: (call) => {
        const { title } = jsonOf(call, Creation)
        if ([...account.namespaces.values()].some((known) => known.title === title)) {
          const message = 'a namespace with this account ID and title already exists'
          throw new Refusal(400, 10014, message)
        }
        const namespace = { id: randomUUID().replaceAll('-', ''), title }
        account.namespaces.set(namespace.id, namespace)
        return success({ ...namespace, supports_url_encoding: true })
      },
    },
    {
      kinds: ['kv.list'],
      method: 'GET',
      path: NAMESPACES,
      handle: (call) => {
        const all = [...account.namespaces.values()]
        return pageOf(
          call,
          all.sort((a, b) => a.title.localeCompare(b.title)),
        )
      },
    },
  ]
}
