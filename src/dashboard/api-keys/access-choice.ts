import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { SCOPES } from '../../engine/identity/scopes.ts'
import { mayGrant } from '../access.ts'
import type { Form } from '../form/form.ts'

const PRESETS = {
  full: ['integrations.*'],
  read: SCOPES.filter((scope) => scope.startsWith('integrations.') && scope.endsWith('.read')),
}

export const CHOICES = [
  ['full', 'Full access', 'every call of the integrations API'],
  ['read', 'Read only', 'read orders, products, locations and inventory'],
  ['chosen', 'Chosen scopes', 'the scopes ticked below'],
] as const

export type Access = (typeof CHOICES)[number][0]

/** The preset with exactly these scopes, else `chosen`. */
export function accessOf(scopes: readonly string[]): Access {
  const granted = scopes.toSorted().join()
  if (granted === PRESETS.full.join()) return 'full'
  return granted === PRESETS.read.toSorted().join() ? 'read' : 'chosen'
}

/** The form's choice; `chosen` for any unknown value. */
export function accessIn(form: Form): Access {
  const [access] = CHOICES.find(([name]) => name === form.text('access')) ?? []
  return access ?? 'chosen'
}

/** The scopes of the form's choice. */
export function scopesOf(form: Form): readonly string[] {
  const access = accessIn(form)
  return access === 'chosen' ? form.all('scopes') : PRESETS[access]
}

/** The first preset that the session's key can grant, else `chosen`. */
export function widestAccess(c: Context<AppEnv>): Access {
  const [access] = CHOICES.find(([name]) => isOffered(c, name)) ?? []
  return access ?? 'chosen'
}

export function isOffered(c: Context<AppEnv>, access: Access): boolean {
  return access === 'chosen' || mayGrant(c, PRESETS[access])
}
