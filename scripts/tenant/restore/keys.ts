import { literal } from '../rows.ts'
import type { Key } from './facts.ts'

/** What became of the keys, by what they were before a restore and right after it. */
export interface KeyChanges {
  /** Alive again by the restore, and revoked again. */
  revoked_again: Key[]
  /** Would have lived longer by the restore; they end when they would have ended. */
  shortened_again: Key[]
  /** Made since, also by a rotation: they are gone. */
  gone: Key[]
  /** Other settings of theirs changed since, such as their scopes, and are as they were. */
  changed_back: { id: string; name: string; fields: string[] }[]
}

/** What is told of by itself, and the version, which each change raises. */
const NO_OTHER_SETTING = ['revoked_at', 'expires_at', 'version']

export function changesOf(before: Key[], after: Key[]): KeyChanges {
  const found = new Map(after.map((key) => [key.id, key]))
  const changes: KeyChanges = {
    revoked_again: [],
    shortened_again: [],
    gone: [],
    changed_back: [],
  }
  for (const key of before) {
    const restored = found.get(key.id)
    if (!restored) {
      changes.gone.push(key)
      continue
    }
    if (key.revoked_at !== null && restored.revoked_at === null) changes.revoked_again.push(key)
    else if (endsEarlier(key, restored)) changes.shortened_again.push(key)
    const fields = Object.keys(key).filter(
      (field) => !NO_OTHER_SETTING.includes(field) && key[field] !== restored[field],
    )
    if (fields.length > 0) changes.changed_back.push({ id: key.id, name: key.name, fields })
  }
  return changes
}

/** SQL that ends keys as they had ended. It may run twice. */
export function endKeys({ revoked_again, shortened_again }: KeyChanges): string[] {
  return [
    ...revoked_again.map(
      ({ id, revoked_at }) =>
        `UPDATE api_keys SET revoked_at = ${literal(`${revoked_at}`)} WHERE id = ${literal(id)} AND revoked_at IS NULL`,
    ),
    ...shortened_again.map(
      ({ id, expires_at }) =>
        `UPDATE api_keys SET expires_at = ${literal(`${expires_at}`)} WHERE id = ${literal(id)} AND coalesce(expires_at > ${literal(`${expires_at}`)}, true)`,
    ),
  ]
}

function endsEarlier(key: Key, restored: Key): boolean {
  if (key.expires_at === null) return false
  return restored.expires_at === null || key.expires_at < restored.expires_at
}
