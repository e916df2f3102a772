import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { changesSince, type SettingsRecord } from '../../settings/history/queries.ts'
import { type Merged, merge } from '../form/merge.ts'
import { VersionField, versionsFrom } from '../form/version.tsx'
import { fieldLabel, fieldText } from '../parts/field-text.ts'
import { FormError } from '../parts/form-error.tsx'
import { Records } from '../parts/records.tsx'
import { ChangeLine } from './line.tsx'

/** The texts of a form by their names. `version` is that of the record of which it was shown. */
interface Versioned {
  version: string
}

/** What others have changed since a form was opened, and what it shows now. */
export interface Conflict<Fields> extends Merged<Fields> {
  now: Fields
  changes: Awaited<ReturnType<typeof changesSince>>['changes']
}

interface ConflictParts<Fields> {
  now: Fields
  sent: Fields
  /** The fields of the record as the history has it; null if that has another shape. */
  formerOf: (state: JsonObject | null) => Fields | null
}

/**
 * What to show of a form whose record others have changed; null if that is not the error. The fields get the version of
 * the record as it is now: who saves them has seen what others have changed.
 */
export async function conflictOf<Fields extends Versioned>(
  c: Context<AppEnv>,
  error: ApiError | null,
  record: SettingsRecord,
  { now, sent, formerOf }: ConflictParts<Fields>,
): Promise<Conflict<Fields> | null> {
  if (error?.code !== 'PRECONDITION_FAILED') return null
  const [since = 0] = versionsFrom(sent.version)
  const { changes, before } = await changesSince(c.get('db'), record, since)
  const former = since > 0 ? formerOf(before) : null
  const unversioned = { version: '' }
  const merged = merge(
    former && { ...former, ...unversioned },
    { ...now, ...unversioned },
    { ...sent, ...unversioned },
  )
  return { ...merged, fields: { ...merged.fields, version: now.version }, now, changes }
}

interface FormHeadProps<Fields> {
  c: Context<AppEnv>
  error: ApiError | null
  conflict: Conflict<Fields> | null
  /** Of the record that the form shows; empty if the form makes a new one. */
  version: string
}

/** How the form of a settings record begins: why it was refused, and the version that it changes. */
export function FormHead<Fields extends object>(props: FormHeadProps<Fields>) {
  const { c, error, conflict, version } = props
  return (
    <>
      {!conflict && <FormError error={error} />}
      <ConflictPanel
        conflict={conflict}
        lines={conflict?.changes.map((change) => <ChangeLine c={c} change={change} />) ?? []}
        at={c.get('exchange').path}
      />
      {version !== '' && <VersionField version={version} />}
    </>
  )
}

interface ConflictProps<Fields> {
  conflict: Pick<Conflict<Fields>, 'fields' | 'taken' | 'conflicts' | 'isSaved' | 'now'> | null
  /** Who has changed it since then. */
  lines: Child[]
  /** The page that shows the record as it is saved. */
  at: string
}

/** Who has changed the record meanwhile, and both values of each field that both have changed. */
export function ConflictPanel<Fields extends object>({
  conflict,
  lines,
  at,
}: ConflictProps<Fields>) {
  if (!conflict) return null
  const { conflicts, taken, isSaved, now, fields } = conflict
  // The same form was sent twice, or others have saved the same.
  if (isSaved && taken.length === 0) {
    return (
      <p class="conflict" role="alert">
        What you sent is saved already. <a href={at}>See what is saved</a>
      </p>
    )
  }
  return (
    <section class="conflict" role="alert">
      <h2>
        Others have changed this since you opened it. Nothing of yours was saved, and nothing is
        lost.
      </h2>
      {lines.length > 0 && (
        <ul>
          {lines.map((line) => (
            <li>{line}</li>
          ))}
        </ul>
      )}
      {conflicts.length > 0 && (
        <Records columns={['Field', 'Saved now', 'Yours']}>
          {conflicts.map((name) => (
            <tr>
              <td data-label="Field">{fieldLabel(name)}</td>
              <td data-label="Saved now">{fieldText(Reflect.get(now, name))}</td>
              <td data-label="Yours">{fieldText(Reflect.get(fields, name))}</td>
            </tr>
          ))}
        </Records>
      )}
      {taken.length > 0 && (
        <p>
          The form now has what others have saved in: {taken.map(fieldLabel).join(', ')}. You had
          not changed that.
        </p>
      )}
      <p>
        Save to keep what the form shows now, or <a href={at}>discard yours</a> and see what is
        saved.
      </p>
    </section>
  )
}
