import { type Filters, pathWith } from '../form/chosen.ts'

/** The history of the stock that these filters choose. */
export function historyPath({ location_code, sku_code }: Filters): string {
  return pathWith('/dashboard/inventory/history/', {
    ...(location_code && { location_code }),
    ...(sku_code && { sku_code }),
  })
}
