import type { Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Address } from '../../engine/identifiers/address.ts'
import { type RecordVersion, versionName } from '../../engine/json/entity-tags.ts'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { labelOf, type RecordDefinition } from '../../engine/model/record.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import type { LoggedChange } from '../../requests/audit-log/history.ts'
import { may } from '../access.ts'
import { ConflictPanel } from '../changed/conflict.tsx'
import type { Form } from '../form/form.ts'
import { merge } from '../form/merge.ts'
import { formOf } from '../form/read.ts'
import { VERSION, VersionField } from '../form/version.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Time } from '../parts/time.tsx'
import { recordPath, requestPath } from '../paths.ts'
import { addressOf } from '../records/address.ts'
import { historyOf } from '../records/history.tsx'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { type Notice, redirectDone } from '../shell/notice.ts'
import { RecordInputs } from './inputs.tsx'
import { editShape, formNames, type Texts, textsOf, textsSent, updateBody, WAS } from './texts.ts'

const CHANGES_SHOWN_MAX = 5

/** A kind of records whose fields a form changes. */
export interface EditedKind {
  resource: AddressableResource
  record: RecordDefinition
  /** The record as it is stored. */
  find: (c: Context<AppEnv>, address: Address) => Promise<RecordVersion>
  /** Changes it as a PUT of the API does. */
  save: (c: Context<AppEnv>, address: Address, input: object) => Promise<unknown>
  saved: Notice
}

/** A form as it was sent: what was typed, and the record of which it was shown. */
interface Sent {
  texts: Texts
  before: Texts
  version: string
}

/** The page that changes the fields of a record, at `/:id/edit/`. It changes the version that it showed, or nothing. */
export function addEdit(routes: Hono<AppEnv>, kind: EditedKind): void {
  const { resource, record, save, saved } = kind
  const write = requireScope(`integrations.${resource}.write`)

  routes.get('/:id/edit/', write, (c) => showEdit(c, kind, null, null))

  routes.post('/:id/edit/', write, async (c) => {
    const form = await formOf(c, editShape(record), (sent, error) =>
      showEdit(c, kind, sentOf(record, sent), error),
    )
    const { texts, before, version } = sentOf(record, form)
    const id = c.req.param('id')
    const address = { ...addressOf(c, resource, id), versions: [version] }
    await save(c, address, updateBody(record, texts, before))
    return redirectDone(c, recordPath(resource, id), saved)
  })
}

function sentOf(record: RecordDefinition, form: Form): Sent {
  const names = formNames(record, 'update')
  return {
    texts: textsSent(record, names, form),
    before: textsSent(record, names, form, WAS),
    version: form.text(VERSION),
  }
}

async function showEdit(
  c: Context<AppEnv>,
  kind: EditedKind,
  sent: Sent | null,
  error: ApiError | null,
) {
  const { resource, record, find } = kind
  const id = c.req.param('id') ?? ''
  const row = await find(c, addressOf(c, resource, id))
  const name = String(Reflect.get(row, record.key))
  const now = textsOf(record, formNames(record, 'update'), row)
  const isConflict = sent !== null && error?.code === 'PRECONDITION_FAILED'
  const conflict = isConflict ? { ...merge(sent.before, now, sent.texts), now } : null
  // Who saves the merged fields has seen the record as it is now.
  const isOfNow = sent === null || isConflict
  const { texts, before, version } = isOfNow
    ? { texts: conflict?.fields ?? now, before: now, version: versionName(row) }
    : sent
  const changes = isConflict ? await changesAfter(c, { id, name }, sent.version, row) : []
  const title = `Edit ${record.one} ${name}`
  return showNarrowPage(
    c,
    title,
    <form method="post">
      {!conflict && <FormError error={error} />}
      <ConflictPanel
        conflict={conflict}
        lines={changes.map((change) => <RecordChangeLine change={change} />)}
        at={c.get('exchange').path}
      />
      <VersionField version={version} />
      <Former texts={before} />
      <RecordInputs record={record} texts={texts} error={error} />
      {resource !== 'orders' && <KeptKey record={record} />}
      <FormButtons action={`Save ${record.one}`} back={recordPath(resource, id)} />
    </form>,
  )
}

/** The newest requests that have changed the record since this version; none if the session's key may not read the audit log. */
async function changesAfter(
  c: Context<AppEnv>,
  record: { id: string; name: string },
  sentVersion: string,
  now: RecordVersion,
): Promise<LoggedChange[]> {
  const history = await historyOf(c, record)
  const since = now.version - Number.parseInt(sentVersion, 10)
  return history?.changes.slice(0, Math.min(Math.max(since, 1), CHANGES_SHOWN_MAX)) ?? []
}

/** Who has changed a record when, with a link to the request. */
function RecordChangeLine({ change }: { change: LoggedChange }) {
  const { api_key_name, partner_name, created_at, request_id } = change
  return (
    <>
      {api_key_name}
      {partner_name !== null && ` (partner ${partner_name})`} changed it,{' '}
      <Time at={created_at} seconds /> <a href={requestPath(request_id)}>Show the request</a>
    </>
  )
}

/** Orders and stock refer to it. */
function KeptKey({ record }: { record: RecordDefinition }) {
  const label = labelOf(record, record.key)
  return (
    <p>
      The {label} stays as it is. If it is wrong, create the {record.one} anew with the right one,
      and deactivate this one.
    </p>
  )
}

/** The fields of which the form was shown: what equals them was not typed. */
function Former({ texts }: { texts: Texts }) {
  return Object.entries(texts).map(([name, text]) => (
    <input type="hidden" name={WAS + name} value={text} />
  ))
}

interface EditLinkProps {
  c: Context<AppEnv>
  resource: AddressableResource
  id: string
}

/** Leads to the form, if the session's key may change the record. */
export function EditLink({ c, resource, id }: EditLinkProps) {
  if (!may(c, `integrations.${resource}.write`)) return null
  return <a href={`${recordPath(resource, id)}edit/`}>Edit</a>
}
