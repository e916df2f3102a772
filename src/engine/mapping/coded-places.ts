import { EACH, type Path, printPath } from '../json/path.ts'
import type { Resource } from './identifier.ts'
import type { CodeAt, CodeKind } from './item-code.ts'
import type { MappingRule } from './rules.ts'

/** The fields that take item codes, and of which kind. */
const TARGETS: Record<Resource, Record<string, CodeKind>> = {
  orders: { 'items[].sku_code': 'products' },
  products: { sku: 'products' },
  locations: { code: 'locations' },
  inventory: { 'inventory[].sku_code': 'products', 'inventory[].location_code': 'locations' },
}

/** Why the rule's field takes no such code; null if it does. */
export function codeFault(resource: Resource, { target, steps }: MappingRule): string | null {
  if (!steps?.code) return null
  const taken = TARGETS[resource]
  const place = printPath(target.map((step) => (typeof step === 'number' ? EACH : step)))
  const kind = Object.hasOwn(taken, place) ? taken[place] : undefined
  if (kind === steps.code.of) return null
  if (kind !== undefined) return `This field has a code of ${kind}: write "code": "${kind}".`
  return `"code" is for ${Object.keys(taken).join(' and ')}.`
}

/** Where the rules write item codes; null if none does. */
export function codesOf(rules: readonly MappingRule[]): CodeAt | null {
  const coded = rules.flatMap(({ target, steps }) => {
    return steps?.code ? [{ target, use: steps.code }] : []
  })
  if (coded.length === 0) return null
  return (place) => coded.find(({ target }) => isAt(target, place))?.use ?? null
}

function isAt(target: Path, place: Path): boolean {
  return (
    target.length === place.length &&
    target.every(
      (step, at) => step === place[at] || (step === EACH && typeof place[at] === 'number'),
    )
  )
}
