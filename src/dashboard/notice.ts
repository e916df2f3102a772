import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

// What the page after a form says has been done, by the name that its address bears.
const NOTICES = {
  'key-saved': 'The API key was saved. It holds from the next request on.',
  'key-revoked': 'The API key was revoked. It is refused from its next request on.',
  'partner-created': 'The partner was created. Link a key to it, and write its mappings.',
  'partner-saved': 'The partner was saved.',
  'partner-deleted': 'The partner was deleted. Its orders and audit rows keep its name.',
  'mapping-saved': 'The mapping was saved. It holds from the next request on.',
  'mapping-deleted': 'The mapping was deleted: documents are taken as they are sent.',
  'workspace-saved': 'The workspace was saved.',
  'switched-off': 'The integration was switched off. Calls are refused from the next one on.',
  'switched-on': 'The integration was switched on.',
  'signed-out': 'You are signed out.',
}

type Notice = keyof typeof NOTICES

/** To the page that is shown after a change, where it says what was done; a reload repeats nothing. */
export function redirectDone(c: Context<AppEnv>, path: string, done: Notice): Response {
  return c.redirect(`${path}?done=${done}`, 303)
}

/** A form that is refused is sent to the address of the page that told of the one before. */
export function noticeOf(c: Context<AppEnv>): string | null {
  const done = c.req.method === 'GET' ? c.req.query('done') : undefined
  return done !== undefined && isNotice(done) ? NOTICES[done] : null
}

function isNotice(done: string): done is Notice {
  return Object.hasOwn(NOTICES, done)
}
