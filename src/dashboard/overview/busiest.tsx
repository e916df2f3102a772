import type { BusySubject, Traffic } from '../../requests/traffic/queries.ts'
import { count, share } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { auditLogPath, type PageFilters } from '../paths.ts'
import { CallerName, type NameLinks, PartnerName } from '../records/names.tsx'
import { overviewPath } from './view.ts'

interface BusiestProps {
  traffic: Traffic
  /** The parameters of this page. */
  chosen: PageFilters
  /** The filters of the audit log that show the same requests. */
  shown: PageFilters
  names: NameLinks
}

/** Who sent most, each with a link to its own charts. Nothing of a key, which is one. */
export function Busiest({ traffic: { busiest, total }, chosen, shown, names }: BusiestProps) {
  if (busiest.length === 0) return null
  const isOfPartners = hasPartners(busiest)
  const column = isOfPartners ? 'Partner' : 'API key'
  return (
    <section>
      <h3>{isOfPartners ? 'Busiest partners' : 'Busiest API keys'}</h3>
      <Records columns={[column, 'Requests', 'Share', 'Error rate']} hasActions>
        {busiest.map((subject) => {
          const { id, kind, requests, errors } = subject
          const name = nameOf(subject, busiest)
          const Name = kind === 'partner' ? PartnerName : CallerName
          const own = { [kind === 'partner' ? 'partner_id' : 'api_key_id']: id }
          return (
            <tr>
              <th scope="row">
                <Name links={names} id={id} name={name} />
              </th>
              <td data-label="Requests">{count(requests)}</td>
              <td data-label="Share">{share(requests, total)}</td>
              <td data-label="Error rate">{share(errors, requests)}</td>
              <td class="row-actions">
                <RowLink href={overviewPath({ ...chosen, ...own })} text="Only this" of={name} />
                <RowLink href={auditLogPath({ ...shown, ...own })} text="Requests" of={name} />
              </td>
            </tr>
          )
        })}
      </Records>
    </section>
  )
}

export function hasPartners(busiest: BusySubject[]): boolean {
  return busiest.some(({ kind }) => kind === 'partner')
}

/** Among partners, a key without one is marked. */
export function nameOf({ name, kind }: BusySubject, busiest: BusySubject[]): string {
  return kind === 'key' && hasPartners(busiest) ? `${name} (key)` : name
}
