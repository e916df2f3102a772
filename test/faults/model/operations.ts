import { locations, products } from './catalogue.ts'
import { inventory } from './inventory.ts'
import { itemCodes } from './item-codes.ts'
import { keys } from './keys.ts'
import { mappings } from './mappings.ts'
import { ANYTHING } from './matching.ts'
import { INVALID, type Operation, operation, shown } from './operation.ts'
import { orders } from './orders.ts'
import { partners } from './partners.ts'
import { undo } from './undo.ts'
import { workspace } from './workspace.ts'

/** What it lists is not of the model's making: witness.ts knows the log. */
const auditLog: Record<string, Operation> = {
  'audit-log.list': operation('GET', '/audit-log/', 'settings.audit.read', {
    act: ({ state, query: { limit = '50', status = '2xx' } }) =>
      limit === '0' || limit === 'x' || !/^([1-5](\d\d|xx)|failed)$/.test(status)
        ? INVALID
        : { ...shown(state, ANYTHING), told: () => ({ data: ANYTHING }) },
  }),
}

/** The endpoints that the model knows, by the name that a sequence calls them by. */
export const OPERATIONS: Record<string, Operation> = {
  ...orders,
  ...products,
  ...locations,
  ...inventory,
  ...workspace,
  ...keys,
  ...partners,
  ...mappings,
  ...itemCodes,
  ...auditLog,
  ...undo,
}
