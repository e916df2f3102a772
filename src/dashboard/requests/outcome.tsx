import type { PropsWithChildren } from 'hono/jsx'
import type { LoggedRequest } from '../../requests/audit-log/record.ts'
import { count } from '../parts/numbers.ts'
import type { Fault } from './faults.ts'

interface OutcomeProps {
  request: LoggedRequest
  faults: Fault[]
  wayOut: string
}

/** The first fault of a request that failed, and what to do about it. The buttons are the children. */
export function Outcome(props: PropsWithChildren<OutcomeProps>) {
  const { request, faults, wayOut, children } = props
  const [first, ...others] = faults
  return (
    <section class="outcome">
      <p class="form-error">
        {first === undefined || first.at === '' ? (
          (request.message ?? `The request was refused (${request.status}).`)
        ) : (
          <>
            <code>{first.at}</code> {first.messages.join(' ')}
          </>
        )}
        {others.length > 0 && ` And ${count(others.length)} more, below.`}
      </p>
      <p>{wayOut}</p>
      {children}
    </section>
  )
}
