import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import type { findSettingsChange } from '../../settings/history/queries.ts'
import { may } from '../access.ts'
import { whoOf } from '../changed/line.tsx'
import { RecordName, type RecordOfChange, textOfRecord } from '../changed/record-name.tsx'
import { formerMembers } from '../mappings/conflict.ts'
import { DataTable } from '../parts/data-table.tsx'
import { fieldLabel, fieldText } from '../parts/field-text.ts'
import { Heading } from '../parts/heading.tsx'
import { Time } from '../parts/time.tsx'
import { mappingPath, pathWith, requestPath, settingsHistoryPath } from '../paths.ts'
import { CallerName, type NameLinks } from '../records/names.tsx'
import { showPage } from '../shell/page.tsx'

type Change = Awaited<ReturnType<typeof findSettingsChange>> & Pick<RecordOfChange, 'is'>

/** One change field by field. From that of a mapping, its rules before and after can be opened in the editor. */
export function showChange(c: Context<AppEnv>, change: Change, names: NameLinks) {
  const { id, record_id, created_at, request_id, source, action } = change
  return showPage(
    c,
    `Change ${id}: ${textOfRecord(change)}`,
    <>
      <Heading text={`${textOfRecord(change)}: ${action}`}>
        <a href={settingsHistoryPath({ record_id })}>All changes</a>
      </Heading>
      <dl class="facts">
        <dt>Who</dt>
        <dd>
          <CallerName links={names} id={change.api_key_id} name={whoOf(change)} />
        </dd>
        <dt>When</dt>
        <dd>
          <Time at={created_at} seconds />
        </dd>
        <dt>From</dt>
        <dd>{source}</dd>
        <dt>What</dt>
        <dd>
          <RecordName c={c} change={change} />
        </dd>
        <dt>Request</dt>
        <dd>{request_id ? <a href={requestPath(request_id)}>{request_id}</a> : '—'}</dd>
      </dl>
      <Differences change={change} />
      {may(c, 'settings.partners.write') && <Return change={change} />}
    </>,
  )
}

function Differences({ change }: { change: Change }) {
  const [before, after] = [membersOf(change, change.before), membersOf(change, change.after)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  if (change.before === null && change.action !== 'created') {
    return <p class="nothing">The values before this change were too large to be kept.</p>
  }
  if (names.length === 0) return <p class="nothing">Only the order of the rules differs.</p>
  return (
    <DataTable
      rows={names}
      isHeadless
      columns={[
        ['Field', fieldLabel],
        ['Before', (name) => fieldText(before[name])],
        ['After', (name) => fieldText(after[name])],
      ]}
    />
  )
}

/** The fields of the record; of a mapping, its rules. */
function membersOf({ kind }: Change, state: JsonObject | null): Record<string, unknown> {
  if (state === null || kind !== 'mapping') return state ?? {}
  const { version, ...members } = formerMembers(state) ?? { version: '', ...state }
  return members
}

function Return({ change }: { change: Change }) {
  if (change.resource === null) return null
  const place = { partnerId: change.record_id, resource: change.resource }
  const at = (state: string) => pathWith(mappingPath(place), { change: String(change.id), state })
  return (
    <section>
      <h2>Return to these rules</h2>
      <p>
        Each opens the editor. There you can try the rules on kept documents before you save them.
      </p>
      <div class="buttons">
        {change.before && (
          <a class="button secondary" href={at('before')}>
            The rules before this change
          </a>
        )}
        {change.after && (
          <a class="button secondary outline" href={at('after')}>
            The rules after it
          </a>
        )}
      </div>
    </section>
  )
}
