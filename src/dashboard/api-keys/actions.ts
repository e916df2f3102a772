import type { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { findKey, revokeKey, updateKey } from '../../settings/api-keys/queries.ts'
import { rotateKey } from '../../settings/api-keys/rotate.ts'
import { formOf } from '../form/read.ts'
import { SETTING_CONFIRMATION, versionsSent } from '../form/version.tsx'
import { addPause } from '../pause/routes.tsx'
import { redirectDone } from '../shell/notice.ts'
import type { KeyPages, ShownKey } from './key-pages.ts'
import { endOf, Overlap, ROTATION } from './overlap.ts'
import { showRevocation } from './revocation.tsx'
import { showRotation } from './rotation.tsx'

const write = requireScope('settings.keys.write')

/** Adds the pages that pause, rotate and revoke a key of this kind. */
export function addKeyActions<Shown extends ShownKey>(
  pages: Hono<AppEnv>,
  of: KeyPages<Shown>,
): void {
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
