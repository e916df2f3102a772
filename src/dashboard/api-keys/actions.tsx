import type { Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { findKey, revokeKey, updateKey } from '../../settings/api-keys/queries.ts'
import { rotateKey } from '../../settings/api-keys/rotate.ts'
import { mayGrantKey } from '../access.ts'
import { formOf } from '../form/read.ts'
import { SETTING_CONFIRMATION, versionsSent } from '../form/version.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { Select } from '../parts/select.tsx'
import { addPause } from '../pause/routes.tsx'
import { redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import type { KeyPages, ShownKey } from './key-pages.ts'
import { DEFAULT_OVERLAP, endOf, OVERLAPS, Overlap, ROTATION } from './overlap.ts'
import { isRenaming, showRenaming } from './renaming.tsx'

const write = requireScope('settings.keys.write')

/** Adds the pages that change, pause, rotate and revoke a key of this kind. */
export function addKeyActions<Shown extends ShownKey>(
  pages: Hono<AppEnv>,
  of: KeyPages<Shown>,
): void {
  addEditing(pages, of)
  addPause(pages, {
    path: '/:id/pause/',
    write,
    whose: `this ${of.noun}`,
    keeps: of.keeps,
    back: of.pageOf,
    find: (c, id) => findKey(of.kindOf(c), c.get('db'), id),
    save: (c, id, pause, versions) =>
      updateKey(of.kindOf(c), c.get('db'), c.get('caller'), id, { pause }, versions),
  })
  addRotation(pages, of)
  addRevocation(pages, of)
}

function addEditing<Shown extends ShownKey>(pages: Hono<AppEnv>, of: KeyPages<Shown>): void {
  pages.get(of.editAt, write, async (c) => {
    const record = await findKey(of.kindOf(c), c.get('db'), c.req.param('id') ?? '')
    return mayGrantKey(c, of.grantedOf(record))
      ? of.showForm(c, record, null, null)
      : showRenaming(c, of, record, null, null)
  })

  pages.post(of.editAt, write, async (c) => {
    const id = c.req.param('id') ?? ''
    const form = await formOf(c, of.shape, async (sent, error) => {
      const record = await findKey(of.kindOf(c), c.get('db'), id)
      // Others may have given it what this session cannot grant. Of a key, a browser would not even send those boxes back.
      const mayGrant = mayGrantKey(c, of.grantedOf(record))
      const isOutgrown = error.code === 'PRECONDITION_FAILED' && !mayGrant
      return isRenaming(of, sent) || isOutgrown
        ? showRenaming(c, of, record, sent, error)
        : of.showForm(c, record, sent, error)
    })
    const input = isRenaming(of, form) ? { name: form.text('name') } : of.inputOf(form)
    await of.update(c, id, input, versionsSent(form))
    return redirectDone(c, of.pageOf(id), of.done.saved)
  })
}

function addRotation<Shown extends ShownKey>(pages: Hono<AppEnv>, of: KeyPages<Shown>): void {
  pages.get('/:id/rotate/', write, async (c) => {
    const id = c.req.param('id')
    const input = { overlap_seconds: 0 }
    const error = await c
      .get('db')
      .refusalOf((db) => rotateKey(of.kindOf(c), db, c.get('caller'), id, input))
    return showRotation(c, of, id, null, error)
  })

  pages.post('/:id/rotate/', write, async (c) => {
    const { db, caller } = c.var
    const id = c.req.param('id')
    const form = await formOf(c, ROTATION, (sent, error) =>
      showRotation(c, of, id, sent.text('overlap_seconds'), error),
    )
    const { overlap_seconds } = check(Overlap, { overlap_seconds: form.text('overlap_seconds') })
    const input = { overlap_seconds: Number(overlap_seconds) }
    const key = await rotateKey(of.kindOf(c), db, caller, id, input, versionsSent(form))
    return of.showCreated(c, key, `The old ${of.value} ends ${endOf(overlap_seconds)}.`)
  })
}

function addRevocation<Shown extends ShownKey>(pages: Hono<AppEnv>, of: KeyPages<Shown>): void {
  pages.get('/:id/revoke/', write, async (c) => {
    const id = c.req.param('id')
    const refusal = await c.get('db').refusalOf((db) => revokeKey(of.kindOf(c), db, id))
    return showRevocation(c, of, id, refusal)
  })

  pages.post('/:id/revoke/', write, async (c) => {
    const id = c.req.param('id')
    const form = await formOf(c, SETTING_CONFIRMATION, (_, error) =>
      showRevocation(c, of, id, error),
    )
    await revokeKey(of.kindOf(c), c.get('db'), id, versionsSent(form))
    return redirectDone(c, of.pageOf(id), of.done.revoked)
  })
}

/** `overlap` is the submitted choice, null before the form was submitted. */
async function showRotation<Shown extends ShownKey>(
  c: Context<AppEnv>,
  of: KeyPages<Shown>,
  id: string,
  overlap: string | null,
  error: ApiError | null,
) {
  const { name, version } = await findKey(of.kindOf(c), c.get('db'), id)
  return showPage(
    c,
    `Rotate ${of.one}`,
    <Confirmation
      question={`Rotate “${name}”?`}
      action={`Rotate ${of.value}`}
      back={of.pageOf(id)}
      version={version}
      error={error}
    >
      <p>{of.rotated}</p>
      <Select
        label={`The old ${of.value} ends`}
        name="overlap_seconds"
        value={overlap ?? DEFAULT_OVERLAP}
        options={OVERLAPS}
        error={error}
        help={of.overlap}
      />
      <OwnKey c={c} id={id} text="when it ends, you will be signed out." />
    </Confirmation>,
  )
}

async function showRevocation<Shown extends ShownKey>(
  c: Context<AppEnv>,
  of: KeyPages<Shown>,
  id: string,
  error: ApiError | null,
) {
  const record = await findKey(of.kindOf(c), c.get('db'), id)
  const { name, hint, version } = record
  return showPage(
    c,
    `Revoke ${of.one}`,
    <Confirmation
      question={`Revoke “${name}”?`}
      action={`Revoke ${of.noun}`}
      look="danger"
      back={of.pageOf(id)}
      version={version}
      error={error}
    >
      {await of.more?.(c, record)}
      <p>
        The next request with <code>{hint}</code> is refused{of.ends}. This cannot be undone.
      </p>
      <OwnKey c={c} id={id} text="you will be signed out." />
    </Confirmation>,
  )
}

/** A warning if the key is the one of the session. */
function OwnKey({ c, id, text }: { c: Context<AppEnv>; id: string; text: string }) {
  return id === c.get('caller').key.id ? (
    <p>
      <strong>You are signed in with this key: {text}</strong>
    </p>
  ) : null
}
