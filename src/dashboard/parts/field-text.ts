/** The name of a setting as people read it. A rule of a mapping has a name of several words, which stay as they are. */
export function fieldLabel(name: string): string {
  return name.includes(' ') ? name : name.replaceAll('_', ' ')
}

interface Rule {
  target: unknown
  kind: string
  source: string
}

function isRule(value: object): value is Rule {
  return 'target' in value && 'kind' in value && 'source' in value
}

/** A rule of a mapping, in the words of its row in the editor. The name of the field is its target. */
function ruleText({ target, kind, source, ...others }: Rule): string {
  const parts = [kind === 'path' ? '' : kind, source, partsText(others)]
  return parts.filter((part) => part !== '').join(', ')
}

function partsText(value: object): string {
  return Object.entries(value)
    .filter(([, part]) => part !== '')
    .map(([name, part]) => `${fieldLabel(name)} ${fieldText(part)}`)
    .join(', ')
}

/** The value of a setting as people read it; a dash for none. */
export function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.map(fieldText).join(', ') : '—'
  if (typeof value === 'object' && value !== null) {
    return isRule(value) ? ruleText(value) : partsText(value)
  }
  return value === undefined || value === null || value === '' ? '—' : String(value)
}
