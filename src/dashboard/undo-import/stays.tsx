import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Import, ImportedState } from '../../requests/undo/imports.ts'
import { may } from '../access.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { requestPath } from '../paths.ts'
import { RecordLink } from '../records/record-link.tsx'
import { TabLink } from '../run/results.tsx'

/** Why a record of the import stays as it is; null if its state does not keep it. */
export function whyStays(
  c: Context<AppEnv>,
  { resource }: Import,
  state: ImportedState,
): string | null {
  if (state === 'changed_since') return 'It was changed since.'
  if (state === 'gone') return 'It is not there any more.'
  if (state === 'inactive') return 'The import has created it, and it is inactive.'
  if (state === 'forgotten') return 'What it had before is not remembered any more.'
  if (state !== 'deactivatable' || may(c, `integrations.${resource}.delete`)) return null
  return `The import has created it, and to deactivate it you need integrations.${resource}.delete.`
}

/** A record that stays as it is. */
export interface Staying {
  name: string
  why: string
  /** The request that has changed it last; empty if that is not known. */
  changed_by: string
}

interface StaysProps {
  stays: Staying[]
  /** How many there are. */
  all: number
  ids: Map<string, string>
}

/** The records that stay, why, and who has changed them. */
export function StaysTable({ stays, all, ids, resource }: StaysProps & Pick<Import, 'resource'>) {
  if (stays.length === 0) return null
  return (
    <section>
      <h2>What stays as it is</h2>
      <Records columns={['Record', 'Why']}>
        {stays.map(({ name, why, changed_by }) => (
          <tr>
            <th scope="row" class="free">
              <RecordLink resource={resource} name={name} ids={ids} />
            </th>
            <td data-label="Why" class="free">
              {why}{' '}
              {changed_by !== '' && (
                <TabLink href={requestPath(changed_by)}>Its last change</TabLink>
              )}
            </td>
          </tr>
        ))}
      </Records>
      {all > stays.length && (
        <p class="nothing">{`${count(all - stays.length)} more are not listed.`}</p>
      )}
    </section>
  )
}
