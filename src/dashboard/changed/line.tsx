import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { may } from '../access.ts'
import { fieldLabel } from '../parts/field-text.ts'
import { Time } from '../parts/time.tsx'
import { changePath } from '../paths.ts'

/** A change of settings, as a list has it. */
export interface ListedChange {
  id: number
  action: string
  fields: string[]
  created_at: string
  api_key_name: string | null
}

interface ChangeLineProps {
  c: Context<AppEnv>
  change: ListedChange
  /** What was changed, where a list has changes of several things. */
  of?: string | undefined
}

/** Who changed what and when, with a link to the change. Without the scope for the history it does not say who. */
export function ChangeLine({ c, change, of }: ChangeLineProps) {
  const { id, created_at } = change
  const mayRead = may(c, 'settings.audit.read')
  return (
    <>
      {mayRead ? whoOf(change) : 'Somebody'} {whatOf(change)}
      {of && ` (${of})`}, <Time at={created_at} seconds />{' '}
      {mayRead && <a href={changePath(id)}>Show change {id}</a>}
    </>
  )
}

export function whoOf({ api_key_name }: Pick<ListedChange, 'api_key_name'>): string {
  return api_key_name ?? 'An operator'
}

export function whatOf({ action, fields }: Pick<ListedChange, 'action' | 'fields'>): string {
  return action === 'changed' ? `changed ${fields.map(fieldLabel).join(', ')}` : `${action} it`
}
