import type { Drift } from './drift.ts'
import type { Drifting } from './drifting.ts'
import type { Evidence } from './evidence.ts'
import { type Finding, quotedNames, seen } from './finding.ts'
import type { Repeated } from './repeated.ts'

/** What kept documents say. */
export interface DocumentEvidence {
  repeated: Repeated[]
  drifting: Drifting[]
}

export function repeatedDocuments(repeated: Repeated[]): Finding[] {
  return repeated.map(({ failures, isRedacted }) => {
    const [newest] = failures
    const but = isRedacted ? ' (except redacted places)' : ''
    return {
      kind: 'same_document',
      ...seen(failures),
      message: `The same document${but} came ${failures.length} times with ${newest?.method} ${newest?.path}, and failed each time. The newest error: ${newest?.message}`,
      remedy:
        'The partner repeats the request without a change. Correct the mapping, or tell the partner what is wrong with the document.',
    }
  })
}

/** Changes that begin with the same document are one finding. Places that the mapping reads come first. */
export function driftFindings(
  drifting: Drifting[],
  documentsOf: Evidence['documentsOf'],
): Finding[] {
  return drifting
    .flatMap(({ sampled, drifts, ...which }) =>
      [...Map.groupBy(drifts, togetherWith).values()].flatMap((group) => {
        const [first] = group
        return first ? { first, group, which, later: sampled.slice(first.since) } : []
      }),
    )
    .toSorted((one, other) => Number(other.first.isRead) - Number(one.first.isRead))
    .map(({ first, group, which, later }) => ({
      kind: 'drift',
      ...seen(later.toReversed()),
      message: [
        `${which.method} of ${which.resource}: ${quotedNames(group.map(({ at }) => at))} ${changeOf(first)}`,
        ...(first.isRead ? ['A rule of the mapping reads it.'] : []),
        ...(documentsOf === 'errors' ? [ONLY_FAILED] : []),
      ].join(' '),
      remedy: first.change === 'appeared' ? OF_NEW : OF_OTHER,
    }))
}

const ONLY_FAILED = 'Only documents of failed requests are kept, so no others were compared.'
const IF_WELL =
  'If all is well, save the mapping again: from then on, only later documents are compared.'
const OF_NEW = `Ask the partner what the field means, and change the mapping if it has to read it. ${IF_WELL}`
const OF_OTHER = `Ask the partner why its documents have changed, and change the mapping if it reads the field. ${IF_WELL}`

function togetherWith({ change, kinds, isRead, since }: Drift): string {
  return [change, kinds?.from, kinds?.to, isRead, since].join()
}

function changeOf({ change, kinds, before, after }: Drift): string {
  const [since, earlier] = [after, before].map(({ has, of }) => `${has} of ${of}`)
  if (change !== 'changed kind')
    return `${change}: it is in ${since} kept documents since then, and in ${earlier} before.`
  return `changed from ${kinds?.from} to ${kinds?.to}: it is ${kinds?.to} in ${since} kept documents since then, and in ${earlier} before.`
}
