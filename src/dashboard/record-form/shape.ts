import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import type { RecordDefinition } from '../../engine/model/record.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { formNames } from './texts.ts'

/** Begins the name of a hidden field: what the field was as the form was shown. */
export const WAS = 'was.'

/** What the form of a new record sends. */
export function newShape(record: RecordDefinition): Shape {
  return { fields: formNames(record, 'create'), bytesMax: BODY_BYTES_MAX }
}

/** What the form of a record sends. Its objects have 64 KiB each, and stand in it twice. */
export function editShape(record: RecordDefinition): Shape {
  const names = formNames(record, 'update')
  return {
    fields: [VERSION, ...names.map((name) => WAS + name), ...names],
    bytesMax: BODY_BYTES_MAX,
  }
}
