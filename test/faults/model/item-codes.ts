import { hasFields, isInteger, isName, optional } from './fields.ts'
import { type Context, NOT_FOUND, type Operation, operation, shown, written } from './operation.ts'
import { livePartner } from './partners.ts'
import { type ItemCode, type State, withRecord } from './state.ts'

/** The partner's number that sequences use. */
export const ITEM_CODE = 'K-1'

const kind = 'products'
const isCode = hasFields({ sku_code: isName, units: optional(isInteger(1, 1_000_000)) })

const placeOf = (partner_id: string) => `${partner_id} ${kind} ${ITEM_CODE}`
const record = ({ code, record_name, units }: ItemCode) => ({ code, sku_code: record_name, units })

const path = `/partners/:at/item-codes/${kind}/${ITEM_CODE}/`
const found = ({ state, at }: Context) =>
  livePartner(state, at) ? state.itemCodes.get(placeOf(at)) : undefined

export const itemCodes: Record<string, Operation> = {
  [`item-codes.get.${ITEM_CODE}`]: operation('GET', path, 'settings.partners.read', {
    act: (context) => {
      const known = found(context)
      return known ? shown(context.state, record(known)) : NOT_FOUND
    },
  }),
  [`item-codes.save.${ITEM_CODE}`]: operation('PUT', path, 'settings.partners.write', {
    accepts: isCode,
    act: ({ state, at: partner_id, body }) => {
      if (!livePartner(state, partner_id)) return NOT_FOUND
      const { sku_code, units = 1 } = body
      const named = { record_name: String(sku_code), units: Number(units) }
      const saved = { partner_id, kind, code: ITEM_CODE, ...named }
      const next = withRecord(state, 'itemCodes', placeOf(partner_id), saved)
      return written(200, counted(next, partner_id), () => record(saved))
    },
  }),
  [`item-codes.delete.${ITEM_CODE}`]: operation('DELETE', path, 'settings.partners.write', {
    act: (context) => {
      const { state, at } = context
      if (!found(context)) return NOT_FOUND
      const left = new Map(state.itemCodes)
      left.delete(placeOf(at))
      return written(200, counted({ ...state, itemCodes: left }, at), () => ({ code: ITEM_CODE }))
    },
  }),
}

/** With the number of the partner's codes, which is stored beside them. */
function counted(state: State, partner_id: string): State {
  const codes = [...state.itemCodes.values()].filter((one) => one.partner_id === partner_id).length
  return withRecord(state, 'itemCodeTables', `${partner_id} ${kind}`, { partner_id, kind, codes })
}
