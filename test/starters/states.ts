import { BACK_OFFICE_STATES } from './states/back-offices.ts'
import { SHOP_STATES } from './states/shops.ts'
import type { States } from './states/state.ts'

/** By the name of the starter. */
export const STATES: Record<string, States> = { ...BACK_OFFICE_STATES, ...SHOP_STATES }
