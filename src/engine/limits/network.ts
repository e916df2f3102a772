// The length of an IPv6 address that ends in an IPv4 address.
const ADDRESS_LENGTH_MAX = 45
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * The client's network as Cloudflare reports it; null without its header. For IPv6 it is the /64, all of
 * which one client has.
 */
export function networkOf(headers: Headers): string | null {
  const address = headers.get('CF-Connecting-IP')?.slice(0, ADDRESS_LENGTH_MAX)
  return address ? networkOfAddress(address) : null
}

/** `2001:db8:0:7` for `2001:db8:0:7::1`; an IPv4 address stays as it is. */
export function networkOfAddress(address: string): string {
  const isMapped = address.includes('.')
  if (isMapped || !address.includes(':')) return address.slice(address.lastIndexOf(':') + 1)
  const [before = [], after = []] = address
    .split('::')
    .map((groups) => groups.split(':').map((group) => Number.parseInt(group || '0', 16)))
  const zeros = Array<number>(Math.max(0, GROUPS - before.length - after.length)).fill(0)
  return [...before, ...zeros, ...after]
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')
}
