import { Time } from '../time.tsx'

export interface PartnerRecord {
  id: string
  name: string
  default_identifier_field: string | null
  updated_at: string
}

export function PartnerTable({ partners }: { partners: PartnerRecord[] }) {
  return (
    <div class="overflow-auto">
      <table class="records">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Default identifier</th>
            <th scope="col">Changed</th>
            <th scope="col">
              <span class="for-reader">More</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {partners.map(({ id, name, default_identifier_field, updated_at }) => (
            <tr>
              <th scope="row">
                <a href={`/dashboard/partners/${id}/`}>{name}</a>
              </th>
              <td data-label="Default identifier">
                {default_identifier_field === null ? (
                  'our own'
                ) : (
                  <code>{default_identifier_field}</code>
                )}
              </td>
              <td data-label="Changed">
                <Time at={updated_at} />
              </td>
              <td class="row-actions">
                <a href={`/dashboard/audit-log/?partner_id=${id}`}>Requests</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
