import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import { isAddressable } from '../../engine/mapping/identifier.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import type { MappingPlace } from '../paths.ts'
import { CELLS } from './draft.ts'
import { methodsOf } from './trial.ts'

// More than a mapping may have: a form with some rules too many is still shown again, with the error.
const ROWS_MAX = 500

/** What the editor sends: rows of cells, the pasted document, and which button was pressed. */
export function mappingForm({ resource }: Pick<MappingPlace, 'resource'>): Shape {
  const cellsOf = (direction: string) => ({
    names: CELLS.map((name) => `${direction}.${name}`),
    max: ROWS_MAX,
  })
  return {
    fields: [
      ...(isAddressable(resource) ? ['identifier_field'] : []),
      'inbound.unmapped',
      'inbound.no_values',
      'inbound.single_as_list',
      'inbound.records_each',
      'inbound.group_by',
      'inbound.first',
      'inbound.formats',
      'outbound.unmapped',
      'document',
      'sent',
      VERSION,
      ...(methodsOf(resource).length > 1 ? ['method'] : []),
    ],
    groups: [
      cellsOf('inbound'),
      cellsOf('outbound'),
      { names: ['remedy'], max: 1 },
      { names: ['pane'], max: 1 },
    ],
    bytesMax: BODY_BYTES_MAX,
  }
}
