import type { Intent, Thing } from '../journal.ts'

export const API = 'integrations/v1'
export const SETTINGS = 'settings/v1'

/** The things that can be written: they exist, and no write of them is in doubt. */
export function settled(things: Thing[]): Thing[] {
  return things.filter(({ state, doubt }) => state !== null && doubt === null)
}

/** Creates a product or a location. Each `turn` gives other values. */
export function newRecord({ kind, key }: Thing, turn: number): Intent {
  const state = recordState(kind, turn)
  const [path, name] = kind === 'product' ? ['products', 'sku'] : ['locations', 'code']
  return {
    method: 'POST',
    path: `${API}/${path}/`,
    body: { [name]: key, ...state },
    expected: 201,
    wanted: state,
  }
}

/** Changes a product or a location. */
export function changedRecord({ kind, key }: Thing, turn: number): Intent {
  const state = recordState(kind, turn)
  const path = `${API}/${kind === 'product' ? 'products' : 'locations'}/${key}/`
  return { method: 'PUT', path, body: state, expected: 200, wanted: state }
}

function recordState(kind: Thing['kind'], turn: number) {
  if (kind === 'product') return { quantity: turn, cost: `${turn}.25` }
  return { name: `Turn ${turn}`, zone: `Z${turn}` }
}
