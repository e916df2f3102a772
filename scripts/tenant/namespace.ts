import * as z from 'zod'
import { Failure } from '../failure.ts'
import { addNamespaceId } from './config-file.ts'
import { type Environment, NAMESPACE_BINDING } from './environment.ts'
import { runWrangler } from './wrangler.ts'

const Namespaces = z.array(z.object({ id: z.string(), title: z.string() }))

/**
 * Creates the KV namespace before the first deployment. Wrangler would create it too, but if that deployment then
 * fails, every later one fails because the namespace exists.
 */
export async function ensureNamespace(environment: Environment): Promise<void> {
  if (environment.namespace_id !== null || environment.name === null) return
  const title = `${environment.worker}-keys`
  await addNamespaceId(environment.name, NAMESPACE_BINDING, await findOrCreateNamespace(title))
}

/** The id of the namespace with that title. */
export async function findOrCreateNamespace(title: string): Promise<string> {
  return (await findNamespace(title)) ?? (await createNamespace(title))
}

async function createNamespace(title: string): Promise<string> {
  await runWrangler(['kv', 'namespace', 'create', title])
  const id = await findNamespace(title)
  if (id === null)
    throw new Failure(`wrangler created ${title} but does not list it. Run this again.`)
  return id
}

async function findNamespace(title: string): Promise<string | null> {
  const listed = Namespaces.parse(JSON.parse(await runWrangler(['kv', 'namespace', 'list'])))
  return listed.find((namespace) => namespace.title === title)?.id ?? null
}
