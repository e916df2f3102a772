import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Budget, type BudgetOptions, type Share } from '../../src/engine/limits/budget.ts'
import { networkOfAddress } from '../../src/engine/limits/network.ts'

const LEASE_MS = 60_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A budget, and who has been served, in order. `who` is `tenant/key`, and may have a number behind. */
function open(options: Omit<BudgetOptions, 'refusals'>) {
  const budget = new Budget({ refusals: { all: 'full' }, ...options })
  const served: string[] = []
  const take = async (who: string, bytes: number): Promise<Share> => {
    const [tenant = '', key = ''] = who.replace(/ .*/, '').split('/')
    const share = await budget.take({ tenant, key }, bytes)
    served.push(who)
    return share
  }
  return { budget, served, take }
}

const settle = () => vi.advanceTimersByTimeAsync(1)

describe('a budget', () => {
  it('gives what is free at once, without a promise', () => {
    const budget = new Budget({ bytes: 10, refusals: { all: 'full' } })
    expect(budget.take({ tenant: 'a', key: 'k' }, 10)).not.toBeInstanceOf(Promise)
    expect(budget.take({ tenant: 'a', key: 'k' }, 1)).toBeInstanceOf(Promise)
  })

  it('serves requests of one key in order of arrival', async () => {
    const { served, take } = open({ bytes: 10 })
    const first = await take('a/k 1', 10)
    for (const n of [2, 3, 4]) void take(`a/k ${n}`, 10).then((share) => share.leave())
    first.leave()
    await vi.advanceTimersByTimeAsync(50)
    expect(served).toEqual(['a/k 1', 'a/k 2', 'a/k 3', 'a/k 4'])
  })

  it('gives a tenant its most, and what is left to others, whoever came first', async () => {
    const { served, take } = open({ bytes: 2, tenantBytesMax: 1 })
    const first = await take('a/k 1', 1)
    void take('a/l 2', 1)
    const other = await take('b/k 3', 1)
    void take('c/k 4', 1)
    expect(served).toEqual(['a/k 1', 'b/k 3'])
    other.leave()
    await settle()
    expect(served).toEqual(['a/k 1', 'b/k 3', 'c/k 4'])
    first.leave()
    await settle()
    expect(served.at(-1)).toBe('a/l 2')
  })

  it('gives all there is to who asks for more', async () => {
    const { take } = open({ bytes: 10 })
    expect((await take('a/k', 99)).bytes).toBe(10)
  })

  it('gives a share back once, however often it is left', async () => {
    const { served, take } = open({ bytes: 1 })
    const share = await take('a/k 1', 1)
    share.leave()
    share.leave()
    await take('a/k 2', 1)
    void take('a/k 3', 1)
    share.leave()
    await settle()
    expect(served).toEqual(['a/k 1', 'a/k 2'])
  })

  it('serves others when a share becomes smaller', async () => {
    const { served, take } = open({ bytes: 10 })
    const share = await take('a/k', 10)
    void take('b/k', 5)
    expect(share.resize(6)).toBe(true)
    await settle()
    expect(served).toEqual(['a/k'])
    share.resize(5)
    await settle()
    expect(served).toEqual(['a/k', 'b/k'])
  })

  it('makes a share larger where there is room, and never waits for it', async () => {
    const { take } = open({ bytes: 10, timesFreeMax: 2 })
    const share = await take('a/k', 1)
    expect([share.resize(7), share.bytes]).toEqual([false, 1])
    expect([share.resize(6), share.bytes]).toEqual([true, 6])
    share.leave()
    expect(share.resize(1)).toBe(false)
    expect((await take('b/k', 6)).bytes).toBe(6)
  })

  it('refuses after 30 seconds, and those behind are not held up by that one', async () => {
    const { served, take } = open({ bytes: 10, isStrict: true })
    await take('a/k', 5)
    const refused = take('b/k', 10).catch((error) => error)
    await settle()
    void take('c/k', 5)
    await vi.advanceTimersByTimeAsync(29_999)
    expect(await refused).toMatchObject({ code: 'UNAVAILABLE', message: 'full' })
    await settle()
    expect(served).toEqual(['a/k', 'c/k'])
  })
})

describe('fairness', () => {
  it('serves the tenant that holds least first, and of its keys the one that holds least', async () => {
    const { served, take } = open({ bytes: 10 })
    const [big] = [await take('a/k', 6), await take('b/k', 3), await take('b/l', 1)]
    for (const who of ['a/l', 'b/k 2', 'b/l 2', 'c/k']) void take(who, 1)
    big.leave()
    await vi.advanceTimersByTimeAsync(50)
    expect(served.slice(3)).toEqual(['c/k', 'a/l', 'b/l 2', 'b/k 2'])
  })

  it('takes turns between tenants, however many requests one of them has waiting', async () => {
    const { served, take } = open({ bytes: 1, isStrict: true })
    const first = await take('a/k 0', 1)
    const work = async (who: string) => {
      const share = await take(who, 1)
      await new Promise((done) => setTimeout(done, 10))
      share.leave()
    }
    for (let n = 1; n <= 5; n++) void work(`a/k ${n}`)
    for (let n = 1; n <= 2; n++) void work(`b/k ${n}`)
    first.leave()
    await vi.advanceTimersByTimeAsync(200)
    expect(served).toEqual(['a/k 0', 'b/k 1', 'a/k 1', 'b/k 2', 'a/k 2', 'a/k 3', 'a/k 4', 'a/k 5'])
  })

  it('leaves something free for others, whatever tenants ask for', async () => {
    const { served, take } = open({ bytes: 90, timesFreeMax: 2 })
    for (let n = 0; n < 100; n++) void take('greedy/k', 1)
    await settle()
    expect(served).toHaveLength(60)
    for (let n = 0; n < 100; n++) void take('other/k', 1)
    await settle()
    expect(served.filter((who) => who === 'other/k')).toHaveLength(20)
    await take('little/k', 3)
    expect(served).toHaveLength(81)
  })

  it('leaves room to wait for others, whatever tenants ask for', async () => {
    const { budget, take } = open({ bytes: 1 })
    await take('a/k', 1)
    const refused: string[] = []
    const waiting = (tenant: string) => {
      try {
        const share = budget.take({ tenant, key: 'k' }, 1)
        Promise.resolve(share).catch(() => {})
      } catch {
        refused.push(tenant)
      }
    }
    for (let n = 0; n < 3000; n++) waiting('greedy')
    expect(refused).toHaveLength(3000 - 1333)
    for (let n = 0; n < 300; n++) waiting('other')
    expect(refused).toHaveLength(3000 - 1333)
  })

  it('lets a small share of another tenant past a large one that waits', async () => {
    const { served, take } = open({ bytes: 12, timesFreeMax: 2 })
    await take('a/k', 5)
    void take('b/k', 7)
    await take('c/k', 1)
    expect(served).toEqual(['a/k', 'c/k'])
  })

  it('makes small shares wait for the large one whose turn it is, where it is strict', async () => {
    const { served, take } = open({ bytes: 10, isStrict: true })
    const first = await take('a/k', 6)
    void take('b/k', 8)
    void take('c/k', 1)
    await vi.advanceTimersByTimeAsync(5000)
    expect(served).toEqual(['a/k'])
    first.leave()
    await settle()
    expect(served).toEqual(['a/k', 'b/k', 'c/k'])
  })

  it('bounds the shares of a key, and holds up no other key of its tenant', async () => {
    const { served, take } = open({ bytes: 100, keySharesMax: 2 })
    const [first] = [await take('a/k 1', 1), await take('a/k 2', 1)]
    void take('a/k 3', 1)
    void take('a/l', 1)
    await settle()
    expect(served).toEqual(['a/k 1', 'a/k 2', 'a/l'])
    first.leave()
    await settle()
    expect(served).toEqual(['a/k 1', 'a/k 2', 'a/l', 'a/k 3'])
  })
})

describe('a refusal', () => {
  const refusals = { key: 'of the key', tenant: 'of the tenant', all: 'of all' }

  it('names whose limit is reached', () => {
    const budget = new Budget({ bytes: 9, timesFreeMax: 2, keySharesMax: 2, refusals })
    const told = (who: string, bytes: number) => {
      const [tenant = '', key = ''] = who.split('/')
      return budget.refusalFor({ tenant, key }, bytes).message
    }
    for (const key of ['k', 'k', 'l']) void budget.take({ tenant: 'a', key }, 2)
    expect(told('a/k', 1)).toBe('of the key')
    expect(told('a/l', 1)).toBe('of the tenant')
    void budget.take({ tenant: 'b', key: 'k' }, 2)
    expect(told('b/k', 1)).toBe('of all')
  })

  it.each([
    ['KEY_BUSY', { keySharesMax: 0 }],
    ['TENANT_BUSY', { tenantBytesMax: 0 }],
    ['SERVER_BUSY', {}],
  ])('after 30 seconds has the reason %s', async (reason, options) => {
    const budget = new Budget({ bytes: 9, refusals, ...options })
    void Promise.resolve(budget.take({ tenant: 'b', key: 'k' }, 9)).catch(() => {})
    const waiting = Promise.resolve(budget.take({ tenant: 'a', key: 'k' }, 1))
    const refused = expect(waiting).rejects.toMatchObject({ details: { reason } })
    await vi.advanceTimersByTimeAsync(30_000)
    await refused
  })

  it('after 30 seconds names the limit that is still reached', async () => {
    const budget = new Budget({ bytes: 9, keySharesMax: 1, refusals })
    void budget.take({ tenant: 'a', key: 'k' }, 1)
    const waiting = Promise.resolve(budget.take({ tenant: 'a', key: 'k' }, 1))
    const refused = expect(waiting).rejects.toMatchObject({
      message: 'of the key',
      details: { reason: 'KEY_BUSY' },
    })
    await vi.advanceTimersByTimeAsync(30_000)
    await refused
  })
})

describe('the lease of a share', () => {
  it('runs out only where others wait, and not when it was renewed', async () => {
    const { served, take } = open({ bytes: 2 })
    const [kept] = [await take('kept/k', 1), await take('lost/k', 1)]
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1500)
    kept.renew()
    void take('next/k', 1)
    void take('last/k', 1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(served).toEqual(['kept/k', 'lost/k'])
    await vi.advanceTimersByTimeAsync(1100)
    expect(served).toEqual(['kept/k', 'lost/k', 'next/k'])
  })

  it('is told to who held it, once', async () => {
    const { take } = open({ bytes: 1, leaseMs: 1000 })
    const told = vi.fn()
    const lost = await take('lost/k', 1)
    lost.onTakenBack(told)
    void take('next/k', 1)
    await vi.advanceTimersByTimeAsync(2100)
    lost.leave()
    expect(told).toHaveBeenCalledTimes(1)
  })

  it('gives nothing to a share that comes back after it', async () => {
    const { served, take } = open({ bytes: 1 })
    const lost = await take('lost/k', 1)
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    void take('next/k', 1)
    await settle()
    lost.leave()
    lost.renew()
    void take('last/k', 1)
    await settle()
    expect(served).toEqual(['lost/k', 'next/k'])
  })
})

describe('a share that leaves its place', () => {
  it('lets the next one of its key in, and keeps its bytes', async () => {
    const { served, take } = open({ bytes: 2, keySharesMax: 1 })
    const first = await take('a/k 1', 1)
    void take('a/k 2', 1)
    const last = take('a/k 3', 1)
    first.leavePlace()
    first.leavePlace()
    await settle()
    expect(served).toEqual(['a/k 1', 'a/k 2'])
    first.leave()
    await settle()
    // The second one has the place.
    expect(served).toEqual(['a/k 1', 'a/k 2'])
    void last
  })

  it('does nothing after it has been given back', async () => {
    const { served, take } = open({ bytes: 2, keySharesMax: 1 })
    const first = await take('a/k 1', 1)
    void take('a/k 2', 1)
    void take('a/k 3', 1)
    first.leave()
    first.leavePlace()
    await settle()
    expect(served).toEqual(['a/k 1', 'a/k 2'])
  })
})

describe('shares whose lease has ended', () => {
  /** Shares of one byte each, with a log of those that are taken back. */
  async function hold(take: (who: string, bytes: number) => Promise<Share>, names: string[]) {
    const lost: string[] = []
    for (const name of names) {
      const share = await take(name, 1)
      share.onTakenBack(() => lost.push(name))
      share.renew(0)
    }
    return lost
  }

  it('are taken back as far as they are needed, the first to end first', async () => {
    const { take } = open({ bytes: 3 })
    const lost = await hold(take, ['a/k 1', 'b/k 2', 'c/k 3'])
    void take('d/k', 2)
    await settle()
    expect(lost).toEqual(['a/k 1', 'b/k 2'])
  })

  it('are those of the key whose limit is reached', async () => {
    const { take } = open({ bytes: 9, keySharesMax: 1 })
    const lost = await hold(take, ['b/k', 'a/other', 'a/k 1'])
    void take('a/k 2', 1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(lost).toEqual(['a/k 1'])
  })

  it('are those of the tenant whose limit is reached', async () => {
    const { take } = open({ bytes: 9, tenantBytesMax: 1 })
    const lost = await hold(take, ['b/k', 'a/k'])
    void take('a/other', 1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(lost).toEqual(['a/k'])
  })

  it('leave the count of their key right when it had no other one', async () => {
    const { budget, take } = open({ bytes: 1, keySharesMax: 1 })
    await hold(take, ['a/k'])
    const owner = { tenant: 'a', key: 'k' }
    const share = budget.takeNow(owner, 1)
    expect(budget.takeNow(owner, 0)).toBeNull()
    share?.leave()
    expect(budget.takeNow(owner, 0)).not.toBeNull()
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7'],
    ['2001:db8:0:7::', '2001:db8:0:7'],
    ['2001:db8:0:7::1', '2001:db8:0:7'],
    ['2001:DB8:0000:0007:0:0:0:1', '2001:db8:0:7'],
    ['2001:db8::7:1:2:3:4', '2001:db8:0:7'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::', '2001:db8:0:0'],
    ['2001::1:0:0:0:1', '2001:0:0:1'],
    ['fe80::1', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
  ])('%s is %s', (address, network) => {
    expect(networkOfAddress(address)).toBe(network)
  })
})
