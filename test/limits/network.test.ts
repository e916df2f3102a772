import { describe, expect, it } from 'vitest'
import { networkOfAddress } from '../../src/engine/limits/network.ts'

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
