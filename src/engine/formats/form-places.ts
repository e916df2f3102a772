import type { Path } from '../json/path.ts'
import type { Span, ValuePlace } from './text-place.ts'

interface Member extends Span {
  name: string
}

/** Where the members of a form stand whose names these paths begin with. */
export function findMembers(text: string, paths: readonly Path[]): ValuePlace[] {
  return [...membersIn(text)].flatMap(({ name, start, end }) => {
    const found = paths.filter(([step]) => step === name)
    const values = [decodedMember(text.slice(start, end))]
    return found.map((path) => ({ start, end, path, values }))
  })
}

/** A text of a form as it was before it was encoded. Of one that is not UTF-8, what can be read of it. */
function decodedMember(text: string): string {
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? ''
}

function* membersIn(text: string): Generator<Member> {
  for (const match of text.matchAll(/[^&]+/g)) {
    const [member] = match
    const at = member.indexOf('=')
    const end = match.index + member.length
    const start = at === -1 ? end : match.index + at + 1
    yield { name: decodedMember(at === -1 ? member : member.slice(0, at)), start, end }
  }
}
