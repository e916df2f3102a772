const LENGTH_MAX = 64

/**
 * The name that was probably meant: one that has all words of the given one, or the other way round; or one of which
 * more than half of the letters agree. Undefined if there is none, or the given one is very long.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const asked = wordsOf(given)
  if (given.length > LENGTH_MAX || asked.length === 0) return undefined
  const near = names.flatMap((name) => {
    const words = wordsOf(name)
    const distance = editDistance(asked.join(''), words.join(''))
    const isPart = isWithin(asked, words) || isWithin(words, asked)
    const isAlike = 2 * distance < words.join('').length
    return isPart || isAlike ? { name, rank: isPart ? distance - LENGTH_MAX : distance } : []
  })
  return near.toSorted((one, other) => one.rank - other.rank)[0]?.name
}

/** `status[]`, `skuCode` and `SKU-Code` are written in other ways alone. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2')
  return spaced.toLowerCase().match(/[a-z0-9]+/g) ?? []
}

function isWithin(some: string[], words: string[]): boolean {
  return some.every((word) => words.includes(word))
}

/** How many letters have to be changed, added or left out (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1]
    for (const [at, compared] of [...other].entries()) {
      const changed = (row[at] ?? 0) + (letter === compared ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
