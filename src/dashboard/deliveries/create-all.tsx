import type { Context } from 'hono'
import { csvLine, unguarded } from '../../engine/answers/csv.ts'
import type { AppEnv } from '../../engine/env.ts'
import { skuNotFound } from '../../records/near-codes.ts'
import { may } from '../access.ts'
import { importPath } from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { faultsOf } from '../requests/faults.ts'
import type { Known, Needing } from './remedy.tsx'
import type { requestsOf } from './tries.tsx'

type Resource = 'products' | 'locations'

const KEYS = { products: 'sku', locations: 'code' } as const

interface CreateAllProps {
  c: Context<AppEnv>
  resource: Resource
  /** Of records that are not there. */
  names: readonly string[]
}

/**
 * A button for several records that are missing. It leads to the import of such records, which shows each before it is
 * created as a change of its own, and names what failed.
 */
export function CreateAll({ c, resource, names }: CreateAllProps) {
  const mayCreate =
    may(c, `integrations.${resource}.read`) && may(c, `integrations.${resource}.write`)
  // The import would take such a name for the guarded cell of another one.
  const plain = names.filter((name) => unguarded(name) === name)
  if (!mayCreate || plain.length < 2) return null
  return (
    <form method="post" action={importPath(resource)}>
      <input type="hidden" name="document" value={tableOf(resource, plain)} />
      <div class="buttons">
        <button type="submit" class="outline">
          {`Create all ${plain.length} ${resource}`}
        </button>
      </div>
      <small class="line">
        {plain.map((name, at) => (
          <>
            {at > 0 && ', '}
            <code>{name}</code>
          </>
        ))}
      </small>
    </form>
  )
}

function tableOf(resource: Resource, names: readonly string[]): string {
  return [KEYS[resource], ...names].map((cell) => csvLine([cell], { isGuarded: false })).join('')
}

/** The products or locations that groups of deliveries wait for, and that are not there. */
export function missingIn(
  groups: readonly Pick<Needing, 'needs' | 'needs_code'>[],
  resource: Resource,
  known: Known,
): string[] {
  const need = resource === 'products' ? 'product' : 'location'
  return groups.flatMap(({ needs, needs_code }) =>
    needs === need && needs_code !== null && !known[resource].has(needs_code) ? [needs_code] : [],
  )
}

/** The missing products that the messages of the last try name. Reads the database only if they name several. */
export async function productsMissing(
  c: Context<AppEnv>,
  { needs, needs_code }: Pick<Needing, 'needs' | 'needs_code'>,
  requests: Awaited<ReturnType<typeof requestsOf>>,
): Promise<string[]> {
  if (needs !== 'product') return []
  const messages = faultsOf(requests?.details ?? null).flatMap((fault) => fault.messages)
  const told = messages.flatMap((message) => skuNotFound(message) ?? [])
  const names = [...new Set([...(needs_code === null ? [] : [needs_code]), ...told])]
  if (names.length < 2) return []
  const there = await linkedIds(c, 'products', names)
  return names.filter((name) => !there.has(name))
}
