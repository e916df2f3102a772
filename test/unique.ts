let last = 0

/** A name that no other test uses. */
export function unique(prefix: string): string {
  last += 1
  return `${prefix}-${Date.now().toString(36)}-${last}`
}
