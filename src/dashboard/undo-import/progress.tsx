import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { capitalized } from '../../engine/model/record.ts'
import type { Import } from '../../requests/undo/imports.ts'
import { Tally, tallyText } from '../parts/tally.tsx'
import { listPath, undoImportPath } from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { showParts } from '../run/progress.tsx'
import type { RunProgress } from '../run/run.ts'
import { fieldsOfUndo, type UndoRun, undoneIn } from './run.ts'
import { StaysTable } from './stays.tsx'

/** Shows how far the undo of an import has come. */
export async function showUndone(
  c: Context<AppEnv>,
  of: Import,
  { run, stopped }: RunProgress<UndoRun>,
) {
  const { left, results } = run
  const { restored, deactivated, undone, unchanged, stayed } = results
  const stays = results.stays.map(([name, why, changed_by]) => ({ name, why, changed_by }))
  const named = stays.map(({ name }) => name)
  const ids = await linkedIds(c, of.resource, named)
  return showParts(
    c,
    { done: undoneIn(results), left, stopped, fields: fieldsOfUndo(run) },
    {
      heading: `Undo the import of ${of.resource}`,
      many: 'records',
      summary: tallyText({
        'got back what they had': restored,
        deactivated,
        'undone before': undone,
        'not changed by the import': unchanged,
        'stayed as they are': stayed,
      }),
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
