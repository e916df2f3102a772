import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import {
  type Import,
  type ImportedState,
  type ImportSummary,
  summarizeImport,
} from '../../requests/undo/imports.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { Tally } from '../parts/tally.tsx'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { HiddenFields } from '../run/progress.tsx'
import { showPage } from '../shell/page.tsx'
import { fieldsOfUndo, newUndoRun } from './run.ts'
import { type Staying, StaysTable, whyStays } from './stays.tsx'

// In the order of the list: first those that one may want to look at.
const STATES: ImportedState[] = ['changed_since', 'forgotten', 'gone', 'deactivatable', 'inactive']

/** Asks whether to undo the import, and says what the undo would change. */
export async function showQuestion(c: Context<AppEnv>, of: Import) {
  const summary = await summarizeImport(c.get('db'), of)
  const { stays, all } = stayingIn(c, of, summary)
  const numbers = numbersOf(summary, whyStays(c, of, 'deactivatable') === null)
  const named = stays.map(({ name }) => name)
  const ids = await linkedIds(c, of.resource, named)
  const due = numbers.restored + numbers.deactivated
  const title = `Undo the import of ${of.resource}`
  const body = (
    <>
      <Tally
        totals={{
          'Get back what they had': numbers.restored,
          'Are deactivated': numbers.deactivated,
          'Were undone before': numbers.undone,
          'Were not changed': numbers.unchanged,
          'Stay as they are': all,
        }}
      />
      <Left summary={summary} />
      <StaysTable stays={stays} all={all} ids={ids} resource={of.resource} />
    </>
  )
  const back = requestPath(of.id)
  return showPage(
    c,
    title,
    due === 0 ? (
      <>
        <Heading text={title} />
        <p class="nothing">There is nothing to undo.</p>
        {body}
        <p>
          <a href={back}>Back to the request</a>
        </p>
      </>
    ) : (
      <Confirmation
        question={`${title}?`}
        action={`Undo ${due === 1 ? '1 record' : `${count(due)} records`}`}
        back={back}
        error={null}
      >
        <Explanation of={of} deactivated={numbers.deactivated} />
        {body}
        <HiddenFields fields={fieldsOfUndo(newUndoRun(summary))} />
      </Confirmation>
    ),
  )
}

function Explanation({ of: { resource }, deactivated }: { of: Import; deactivated: number }) {
  return (
    <>
      <p>
        What the import has changed gets back what it had before. Each record is undone by itself,
        and what somebody changes until then stays. The audit log names your key.
      </p>
      {deactivated > 0 && (
        <p>
          What the import has created is deactivated, and not deleted: the page of each of these{' '}
          {resource} has “Activate”. Stock of them stays.
        </p>
      )}
    </>
  )
}

/** Rows that are in the archive cannot be undone. */
function Left({ summary: { complete_since } }: { summary: ImportSummary }) {
  if (complete_since === null) return null
  return (
    <p class="nothing">
      The database has all requests since <Time at={complete_since} seconds />. Rows that were
      imported before are not among these, and cannot be undone any more.
    </p>
  )
}

function numbersOf({ groups }: ImportSummary, mayDeactivate: boolean) {
  const of = (state: ImportedState) => groups[state]?.number ?? 0
  return {
    restored: of('restorable'),
    deactivated: mayDeactivate ? of('deactivatable') : 0,
    undone: of('undone'),
    unchanged: of('unchanged'),
  }
}

/** The first records of each state that stays, and how many stay. */
function stayingIn(c: Context<AppEnv>, of: Import, { groups }: ImportSummary) {
  const stays: Staying[] = []
  let all = 0
  for (const state of STATES) {
    const why = whyStays(c, of, state)
    const group = groups[state]
    if (why === null || !group) continue
    all += group.number
    for (const { name, changed_by } of group.named) {
      stays.push({ name, why, changed_by: changed_by ?? '' })
    }
  }
  return { stays, all }
}

/** The request is in the log, but the database has no row of an import that it has checked. */
export function showNothing(c: Context<AppEnv>, id: string) {
  return showPage(
    c,
    'Undo an import',
    <>
      <Heading text="Undo an import" />
      <Empty text="There is nothing to undo: the database has no product or location that this request has imported. What is in the archive of the audit log cannot be undone.">
        <a class="button secondary outline" href={requestPath(id)}>
          Back to the request
        </a>
      </Empty>
    </>,
  )
}
