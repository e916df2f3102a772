import type { Context } from 'hono'
import type { PropsWithChildren } from 'hono/jsx'
import { isRequestId } from '../../engine/db/request-id.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { capitalized } from '../../engine/model/record.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import { idsOf, LOCATIONS, PRODUCTS } from '../../records/catalogue/kind.ts'
import { may } from '../access.ts'
import { RecordTable } from '../catalogue/list.tsx'
import { OrderTable } from '../orders/list.tsx'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, deliveriesPath, listPath, requestPath } from '../paths.ts'
import {
  CASES,
  CASES_WITH_WORDS,
  GROUPS,
  type Group,
  groupsOf,
  isLimited,
  nothingFound,
  OWN_ORDERS_ONLY,
} from '../search-groups.ts'
import { showPage } from '../shell/page.tsx'
import type { Findings } from './find.ts'

interface ResultsProps {
  resource: AddressableResource
  text: string
  page: Page<unknown>
}

export function showFindings(c: Context<AppEnv>, text: string, found: Findings) {
  const { orders, products, locations, requests } = found
  const groups = [orders.rows, products.rows, locations.rows, requests]
  const searched = groupsOf(c)
  return showPage(
    c,
    `Search: ${text}`,
    <>
      <Heading text={`Search: ${text}`} />
      {groups.every(({ length }) => length === 0) && (
        <Empty text={nothingFound(text, hasWords(searched))}>
          <InTheArchive c={c} text={text} />
          <MissingOrder c={c} searched={searched} />
          <WhatIsFound groups={searched} />
        </Empty>
      )}
      <Results resource="orders" text={text} page={orders}>
        <OrderTable rows={orders.rows} />
      </Results>
      <Results resource="products" text={text} page={products}>
        <RecordTable kind={PRODUCTS} rows={products.rows} ids={idsOf(PRODUCTS, products.rows)} />
      </Results>
      <Results resource="locations" text={text} page={locations}>
        <RecordTable
          kind={LOCATIONS}
          rows={locations.rows}
          ids={idsOf(LOCATIONS, locations.rows)}
        />
      </Results>
      <RequestResults rows={requests} />
      <NotSearched c={c} />
    </>,
  )
}

/** Before there is a text to search for. */
export function showSearch(c: Context<AppEnv>, error: ApiError | null) {
  return showPage(
    c,
    'Search',
    <>
      <Heading text="Search" />
      {error !== null && (
        <p class="form-error" role="alert">
          {error.details.fields?.q?.join(' ') ?? error.message}
        </p>
      )}
      <Empty text="The field above finds what is, or begins with, a text.">
        <WhatIsFound groups={groupsOf(c)} />
      </Empty>
    </>,
  )
}

/** The search reads the database only. */
function InTheArchive({ c, text }: { c: Context<AppEnv>; text: string }) {
  if (!isRequestId(text) || !may(c, 'settings.audit.read')) return null
  return (
    <p>
      If it is the id of an older request,{' '}
      <a href={auditLogPath({ request_id: text })}>the audit log finds it in its archive</a>.
    </p>
  )
}

/** Where to look for an order that is no record yet: the search does not find it. */
function MissingOrder({ c, searched }: { c: Context<AppEnv>; searched: Group[] }) {
  if (!hasWords(searched) || !may(c, 'settings.audit.read')) return null
  return (
    <p>
      Is an order missing? It may wait, or have been refused: see{' '}
      {mayReadDocuments(c) && (
        <>
          <a href={deliveriesPath()}>what waits</a> and{' '}
        </>
      )}
      <a href={auditLogPath({ range: '7d', status: '4xx' })}>what was refused in the last 7 days</a>
      .
    </p>
  )
}

function WhatIsFound({ groups }: { groups: Group[] }) {
  return (
    <>
      <ul class="what-is-found">
        {groups.map(({ name, by }) => (
          <li>
            {name} by {by}
          </li>
        ))}
      </ul>
      <p>{hasWords(groups) ? CASES_WITH_WORDS : CASES}</p>
    </>
  )
}

function hasWords(groups: Group[]): boolean {
  return groups.some(({ name }) => name === 'Orders')
}

function NotSearched({ c }: { c: Context<AppEnv> }) {
  const groups = GROUPS.filter(({ scope }) => !may(c, scope))
  const names = groups.map(({ name, scope }) => `${name.toLowerCase()} (${scope})`)
  return (
    <>
      {names.length > 0 && (
        <p class="nothing">Not searched, because you lack the scope: {names.join(', ')}.</p>
      )}
      {isLimited(c) && <p class="nothing">{OWN_ORDERS_ONLY}</p>}
    </>
  )
}

/** The first records of a resource that match, with the way to all of them. */
function Results({ resource, text, page, children }: PropsWithChildren<ResultsProps>) {
  if (page.rows.length === 0) return null
  return (
    <section>
      <h2>{capitalized(resource)}</h2>
      {children}
      {page.next_cursor !== null && (
        <p>
          <a href={listPath(resource, { search: text })}>All {resource} that match</a>
        </p>
      )}
    </section>
  )
}

function RequestResults({ rows }: { rows: Findings['requests'] }) {
  if (rows.length === 0) return null
  return (
    <section>
      <h2>Requests</h2>
      <Records columns={['Request', 'Status', 'Record', 'Time']}>
        {rows.map(({ request_id, method, path, status, record_name, created_at }) => (
          <tr>
            <th scope="row">
              <a href={requestPath(request_id)}>
                {method} {path}
              </a>
            </th>
            <td data-label="Status">{status}</td>
            <td data-label="Record" class="free">
              {record_name ?? '—'}
            </td>
            <td data-label="Time">
              <Time at={created_at} seconds />
            </td>
          </tr>
        ))}
      </Records>
    </section>
  )
}
