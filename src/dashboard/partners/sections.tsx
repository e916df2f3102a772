import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { NewestRequest } from '../../requests/audit-log/newest.ts'
import type { CheckUp } from '../../requests/check-up/check-up.ts'
import { may } from '../access.ts'
import { DataTable } from '../parts/data-table.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, listPath, requestPath } from '../paths.ts'

interface SectionsProps {
  c: Context<AppEnv>
  id: string
  checked: CheckUp | null
  hasKeys: boolean
}

/** Leads to the parts of the partner's page, with what the check-up says, and to its orders. */
export function PartnerSections({ c, id, checked, hasKeys }: SectionsProps) {
  return (
    <nav aria-label="Parts of this page">
      <ul class="ranges">
        {checked && <Section href="#check-up" text={`Check-up: ${stateOf(checked)}`} />}
        {checked && <Section href="#last-requests" text="Last requests" />}
        <Section href="#mappings" text="Mappings and item codes" />
        {hasKeys && <Section href="#keys" text="Webhooks and keys" />}
        {may(c, 'integrations.orders.read') && (
          <Section href={listPath('orders', { partner_id: id })} text="Orders of this partner" />
        )}
        <Section href="#settings" text="Settings" />
      </ul>
    </nav>
  )
}

function Section({ href, text }: { href: string; text: string }) {
  return (
    <li>
      <a href={href}>{text}</a>
    </li>
  )
}

function stateOf({ findings: { length } }: CheckUp): string {
  if (length === 0) return 'nothing found'
  return length === 1 ? '1 finding' : `${length} findings`
}

/** The newest ones; the audit log has all. */
export function LastRequests({ id, requests }: { id: string; requests: NewestRequest[] }) {
  return (
    <section>
      <h2 id="last-requests">Last requests</h2>
      {requests.length === 0 ? (
        <p class="nothing">The log of the database has no request of it.</p>
      ) : (
        <>
          <DataTable
            rows={requests}
            isHeadless
            columns={[
              ['Time', ({ created_at }) => <Time at={created_at} />],
              [
                'Request',
                ({ method, path, record_name }) => (
                  <>
                    {method} {path} {record_name !== null && <small>{record_name}</small>}
                  </>
                ),
              ],
              [
                'Status',
                ({ status }) => (
                  <span class={`status status-${Math.floor(status / 100)}xx`}>{status}</span>
                ),
              ],
            ]}
            actions={({ request_id: id }) => (
              <RowLink href={requestPath(id)} text="Open" of={`request ${id.slice(-8)}`} />
            )}
          />
          <p>
            <a href={auditLogPath({ partner_id: id })}>All requests of this partner</a>
          </p>
        </>
      )}
    </section>
  )
}
