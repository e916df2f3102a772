import type { Intent, Thing } from '../journal.ts'

export const API = 'integrations/v1'
export const SETTINGS = 'settings/v1'

/** Of those, one that can be written: it is there, and nothing about it is in doubt. */
export function settled(things: Thing[]): Thing[] {
  return things.filter(({ state, doubt }) => state !== null && doubt === null)
}

/** The creation of a product or a location; `turn` tells one from the other. */
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

/** Its change to another state. */
export function changedRecord({ kind, key }: Thing, turn: number): Intent {
  const state = recordState(kind, turn)
  const path = `${API}/${kind === 'product' ? 'products' : 'locations'}/${key}/`
  return { method: 'PUT', path, body: state, expected: 200, wanted: state }
}

function recordState(kind: Thing['kind'], turn: number) {
  if (kind === 'product') return { quantity: turn, cost: `${turn}.25` }
  return { name: `Turn ${turn}`, zone: `Z${turn}` }
}
