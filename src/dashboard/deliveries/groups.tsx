import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { groupDeliveries, NeedGroup } from '../../requests/deliveries/summary.ts'
import { count, sum } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { deliveriesPath, deliveryPath } from '../paths.ts'
import { CreateAll, missingIn } from './create-all.tsx'
import { type Known, NeededThing, NeedRemedy } from './remedy.tsx'
import { deliveries } from './words.ts'

interface GroupsProps extends Awaited<ReturnType<typeof groupDeliveries>> {
  c: Context<AppEnv>
  known: Known
}

/** What the deliveries that wait need, with one remedy for all of a group. */
export function NeedGroups({ c, groups, next_try, known }: GroupsProps) {
  if (groups.length === 0) return null
  const others = (c.get('db').waiting ?? 0) - sum(groups.map(({ records }) => records))
  return (
    <section>
      <h2>What they need</h2>
      <Records columns={['How many', 'Wait for', 'What to do', 'Oldest']} look="waiting" hasActions>
        {groups.map((group) => (
          <tr>
            <th scope="row">{deliveries(group.records)}</th>
            <td data-label="Wait for">
              <NeededThing of={group} known={known} />
            </td>
            <td data-label="What to do">
              <NeedRemedy c={c} of={group} known={known} next_try={next_try} />
            </td>
            <td data-label="Oldest">
              <Time at={group.oldest_at} />
            </td>
            <td class="row-actions">
              <RowLink href={pathOf(group)} {...wordsOf(group, known)} />
            </td>
          </tr>
        ))}
      </Records>
      {(['products', 'locations'] as const).map((resource) => (
        <CreateAll c={c} resource={resource} names={missingIn(groups, resource, known)} />
      ))}
      {others > 0 && (
        <p class="nothing">{`${count(others)} more wait for other things: the list below has them.`}</p>
      )}
    </section>
  )
}

function wordsOf({ needs, needs_code, partner_id, resource, records }: NeedGroup, known: Known) {
  const partner = partner_id && (known.partners.get(partner_id)?.name ?? partner_id)
  const of = ['that wait for', needs, needs_code, resource, partner].filter(Boolean).join(' ')
  return { text: records === 1 ? 'See it' : 'See them', of }
}

function pathOf({ needs, needs_code, partner_id, records, delivery_id }: NeedGroup): string {
  if (records === 1) return deliveryPath(delivery_id)
  return deliveriesPath({
    needs,
    needs_code: needs_code ?? undefined,
    partner_id: partner_id ?? undefined,
  })
}
