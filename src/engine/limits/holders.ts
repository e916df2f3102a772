/** Who holds a share. All tenants have equal rights, and so have the keys of one tenant. */
export interface Owner {
  tenant: string
  key: string
}

interface Holder {
  bytes: number
  /** The number of its latest share; numbers rise with each share. */
  served: number
}

export interface TenantHolder<Waiting> extends Holder {
  name: string
  waiting: number
  keys: Map<string, KeyHolder<Waiting>>
}

export interface KeyHolder<Waiting> extends Holder {
  name: string
  tenant: TenantHolder<Waiting>
  shares: number
  /** Those of its shares that count. */
  places: number
  waiting: Set<Waiting>
}

/** The tenants, with their keys, that hold shares of a budget or wait for them. */
export class Holders<Waiting> {
  readonly #tenants = new Map<string, TenantHolder<Waiting>>()

  of({ tenant: tenantName, key: keyName }: Owner): KeyHolder<Waiting> {
    const tenant = this.#tenants.getOrInsertComputed(tenantName, (name) => {
      return { name, bytes: 0, served: 0, waiting: 0, keys: new Map() }
    })
    return tenant.keys.getOrInsertComputed(keyName, (name) => {
      return { name, tenant, bytes: 0, served: 0, shares: 0, places: 0, waiting: new Set() }
    })
  }

  /** Removes a key, and its tenant, that neither hold a share nor wait for one. */
  forget({ name, shares, waiting, tenant }: KeyHolder<Waiting>): void {
    if (shares > 0 || waiting.size > 0) return
    tenant.keys.delete(name)
    if (tenant.keys.size === 0) this.#tenants.delete(tenant.name)
  }

  inTurn(): TenantHolder<Waiting>[] {
    return orderedHolders(this.#tenants)
  }
}

/** First the one that holds least; among equals, the one that was served longest ago. */
export function orderedHolders<H extends Holder>(holders: Map<string, H>): H[] {
  return [...holders.values()].sort(
    (one, other) => one.bytes - other.bytes || one.served - other.served,
  )
}
