import { type Path, readPath } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { IDENTIFIERS, isAddressable, type Resource } from '../mapping/identifier.ts'
import { type Redacted, type RulesOfAnswer, redactTold } from './answer.ts'
import { overlapsAny, redactedTargets, shownAt } from './targets.ts'

// Members of the answer to a delivery that hold messages, or a name of the record. What `reason` tells, `error` tells by field.
const TOLD: readonly Path[] = [
  ['error'],
  ['detail'],
  ['warnings'],
  ['data', 'error'],
  ['data', 'reason'],
  ['data', 'record'],
  ['data', 'upload', 'errors'],
]

/** As `redactAnswer`, for the answer to a delivery. */
export function redactDeliveryAnswer(
  text: string,
  redacted: Redacted,
  { inbound }: RulesOfAnswer,
  { resource, document }: { resource: Resource; document: string | null },
): string | null {
  const targets = redactedTargets(pathsInRecord(redacted.paths, document), inbound)
  const name = isAddressable(resource) ? IDENTIFIERS[resource].fallback : null
  const shown = [
    ...(name !== null && overlapsAny([name], targets) ? [['record']] : []),
    ...shownAt(targets, null).map((path) => ['upload', ...path]),
  ]
  return redactTold(text, { ...redacted, targets }, TOLD, shown)
}

/** Paths in the body, as paths in the record that stands there. Those that lead elsewhere are left out; headers are not. */
export function pathsInRecord(paths: readonly Path[], document: string | null): Path[] {
  if (document === null) return [...paths]
  const at = readPath(document)
  return paths.flatMap((path) => {
    if (path[0] instanceof SentValue) return [path]
    return overlapsAny(path, [at]) ? [path.slice(at.length)] : []
  })
}
