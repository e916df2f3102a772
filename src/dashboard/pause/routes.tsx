import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Pause } from '../../engine/model/pause.ts'
import { check } from '../../middleware/validate.ts'
import type { Versions } from '../../settings/versions.ts'
import { formOf } from '../form/read.ts'
import { versionsSent } from '../form/version.tsx'
import { Heading } from '../parts/heading.tsx'
import { type Notice, redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import { PAUSE, type PauseFields, pauseFieldsOf, resumes, SentPause } from './form.ts'
import { type Pausable, PausePanel } from './panel.tsx'

/** A kind of settings records that can be paused. */
export interface Pausing {
  /** Of the routes, with the parameter that names the record. */
  path: string
  write: MiddlewareHandler<AppEnv>
  whose: string
  keeps?: boolean
  /** The page of the record, or of the list that shows it. */
  back: (id: string) => string
  find: (c: Context<AppEnv>, id: string) => Promise<Pausable & { name: string }>
  save: (
    c: Context<AppEnv>,
    id: string,
    pause: Pause | null,
    versions: Versions,
  ) => Promise<unknown>
}

/** Adds the page that pauses or resumes a record: its form is on the record's own page, too. */
export function addPause(pages: Hono<AppEnv>, pausing: Pausing): void {
  const { path, write, back, save, keeps = false } = pausing
  pages.get(path, write, (c) => showPause(c, pausing, null, null))
  pages.post(path, write, async (c) => {
    const form = await formOf(c, PAUSE, (sent, error) =>
      showPause(c, pausing, resumes(sent) ? null : pauseFieldsOf(sent), error),
    )
    const pause = resumes(form) ? null : check(SentPause, pauseFieldsOf(form))
    await save(c, idOf(c), pause, versionsSent(form))
    return redirectDone(c, back(idOf(c)), noticeFor(pause !== null, keeps))
  })
}

function noticeFor(isPaused: boolean, keeps: boolean): Notice {
  if (!keeps) return isPaused ? 'paused' : 'resumed'
  return isPaused ? 'webhook-paused' : 'webhook-resumed'
}

/** Empty for the workspace, which is one. */
function idOf(c: Context<AppEnv>): string {
  return c.req.param('id') ?? ''
}

/** `fields` of a form that was to pause, and `error` that refused it. */
async function showPause(
  c: Context<AppEnv>,
  { find, back, whose, keeps }: Pausing,
  fields: PauseFields | null,
  error: ApiError | null,
) {
  const record = await find(c, idOf(c))
  const action = record.pause && fields === null ? 'Resume' : 'Pause'
  return showPage(
    c,
    action,
    <>
      <Heading text={`${action} “${record.name}”?`}>
        <a href={back(idOf(c))}>Back</a>
      </Heading>
      <PausePanel
        record={record}
        at={c.get('exchange').path}
        whose={whose}
        keeps={keeps}
        mayWrite
        fields={fields}
        error={error}
      />
    </>,
  )
}
