import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { capitalized } from '../../engine/model/record.ts'
import type { Import } from '../../requests/undo/imports.ts'
import { count } from '../parts/numbers.ts'
import { Tally } from '../parts/tally.tsx'
import { listPath, undoImportPath } from '../paths.ts'
import { showParts } from '../run/progress.tsx'
import { UndoFields } from './question.tsx'
import { type UndoProgress, type UndoResults, undoneIn } from './run.ts'
import { idsOfStaying, StaysTable } from './stays-table.tsx'

/** Shows how far the undo of an import has come. */
export async function showUndone(c: Context<AppEnv>, of: Import, { run, stopped }: UndoProgress) {
  const { left, results } = run
  const { restored, deactivated, undone, unchanged, stayed } = results
  const stays = results.stays.map(([name, why, changed_by]) => ({ name, why, changed_by }))
  const ids = await idsOfStaying(c, of, stays)
  return showParts(
    c,
    { done: undoneIn(results), left, stopped, fields: <UndoFields run={run} /> },
    {
      heading: `Undo the import of ${of.resource}`,
      many: 'records',
      summary: summaryOf(results),
      at: undoImportPath(of.id),
      back: <a href={listPath(of.resource)}>{capitalized(of.resource)}</a>,
      table: (
        <>
          <Tally
            totals={{
              'Got back what they had': restored,
              'Were deactivated': deactivated,
              'Were undone before': undone,
              'Were not changed': unchanged,
              'Stayed as they are': stayed,
            }}
          />
          <StaysTable stays={stays} all={stayed} ids={ids} resource={of.resource} />
        </>
      ),
    },
  )
}

function summaryOf({ restored, deactivated, undone, unchanged, stayed }: UndoResults): string {
  const parts: [number, string][] = [
    [restored, 'got back what they had'],
    [deactivated, 'deactivated'],
    [undone, 'undone before'],
    [unchanged, 'not changed by the import'],
    [stayed, 'stayed as they are'],
  ]
  const some = parts.filter(([number]) => number > 0)
  return some.map(([number, what]) => `${count(number)} ${what}`).join(', ')
}
