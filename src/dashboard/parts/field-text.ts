/** The name of a setting as people read it. A rule of a mapping has a name of several words, which stay as they are. */
export function fieldLabel(name: string): string {
  return name.includes(' ') ? name : name.replaceAll('_', ' ')
}

/** The value of a setting as people read it; a dash for none. */
export function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.map(fieldText).join(', ') : '—'
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .filter(([, part]) => part !== '')
      .map(([name, part]) => `${fieldLabel(name)} ${fieldText(part)}`)
      .join(', ')
  }
  return value === undefined || value === null || value === '' ? '—' : String(value)
}
