/** A form that was filled in while others changed the record. */
export interface Merged<Fields> {
  /** What the form shows: what was typed, and what others have changed where nothing was typed. */
  fields: Fields
  /** The names of fields that others have changed, and in which nothing was typed. */
  taken: string[]
  /** The names of fields that differ from the record, and that others have changed as well. */
  conflicts: string[]
  /** Whether the record has all of them already. */
  isSaved: boolean
}

/**
 * The fields that were sent, over those of the record as it is now. `base` are the fields of the record as it was when the
 * form was opened: what equals them was not typed. Null: nobody knows, so every difference is a conflict.
 */
export function merge<Fields extends object>(
  base: Fields | null,
  now: Fields,
  sent: Fields,
): Merged<Fields> {
  const merged: Merged<Fields> = { fields: { ...sent }, taken: [], conflicts: [], isSaved: true }
  for (const name of namesIn(now, sent)) {
    if (isSame(sent[name], now[name])) continue
    const isTyped = !base || !isSame(sent[name], base[name])
    merged.isSaved &&= !isTyped
    if (!isTyped) {
      if (now[name] === undefined) delete merged.fields[name]
      else merged.fields[name] = now[name]
      merged.taken.push(name)
    } else if (!base || !isSame(now[name], base[name])) {
      merged.conflicts.push(name)
    }
  }
  return merged
}

function namesIn<Fields extends object>(...all: Fields[]): (keyof Fields & string)[] {
  return [...new Set(all.flatMap((fields) => Object.keys(fields)))] as (keyof Fields & string)[]
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}
