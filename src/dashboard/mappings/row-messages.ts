import type { ApiError } from '../../engine/errors.ts'
import { readCell } from './cell.ts'
import type { Direction, Row } from './draft.ts'

/** The error's messages about a row: that it cannot be read, or that its rule is not valid. */
export function rowMessages(
  error: ApiError | null,
  direction: Direction,
  index: number,
  { target }: Row,
): string[] {
  const fields = error?.details.fields ?? {}
  const names = [rowName(direction, index), `${direction}.fields.${readCell(target)}`]
  return names.flatMap((name) => (Object.hasOwn(fields, name) ? (fields[name] ?? []) : []))
}

export function rowName(direction: Direction, index: number): string {
  return `${direction} rule ${index + 1}`
}
