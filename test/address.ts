const group = () => Math.floor(Math.random() * 0x1_0000).toString(16)

/** An address in a /64 that no other test has, which is one client. */
export function newAddress(): string {
  return `2001:${group()}:${group()}:${group()}::1`
}
