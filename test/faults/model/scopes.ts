/** Whether a scope that a key has opens what asks for the other one, or lets the key grant it. */
export function covers(granted: string, needed: string): boolean {
  if (granted === needed) return true
  if (granted.endsWith('.*')) return needed.startsWith(granted.slice(0, -1))
  const [area, action, ...rest] = granted.split('.')
  if (area !== 'settings' || rest.length > 0) return false
  return new RegExp(`^settings\\.\\w+\\.${action}$`).test(needed)
}

export function coverAll(granted: readonly string[], needed: readonly string[]): boolean {
  return needed.every((scope) => granted.some((own) => covers(own, scope)))
}
