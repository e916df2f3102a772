import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'

// What the page after a change says, by the value of `done` in its address.
const NOTICES = {
  'key-saved': 'The API key was saved. The change applies from its next request on.',
  'key-revoked': 'The API key was revoked. Its next request is refused.',
  'webhook-saved': 'The webhook was saved. The change applies from its next delivery on.',
  'webhook-revoked': 'The webhook was revoked. The next delivery to its address gets 404.',
  'secret-saved': 'The secret was saved. It is valid from the next delivery on.',
  'webhook-paused': 'Paused. Deliveries are kept from the next one on, and applied later.',
  'webhook-resumed':
    'Resumed. Deliveries are applied again, those that were kept as well, unless another pause holds.',
  'partner-created':
    'The partner was created. Create its mappings below, and an API key that is linked to it.',
  'partner-saved': 'The partner was saved.',
  'partner-deleted': 'The partner was deleted. Its orders and audit rows keep its name.',
  'connection-undone': 'It was undone: what was made is gone, and its address takes no deliveries.',
  'mapping-saved': 'The mapping was saved. It applies from the next request on.',
  'mapping-deleted': 'The mapping was deleted. These documents are no longer mapped.',
  'sent-again':
    'The request was sent again. This page shows the new request: its status says what it was answered.',
  undone:
    'The request was undone. This page shows what the undo changed; you can undo that as well.',
  'delivery-applied': 'The delivery was tried. This page shows what became of it.',
  'delivery-waits': 'The delivery was tried, and cannot be applied yet. It waits on.',
  'delivery-ended': 'The delivery was tried, and does not wait any more.',
  'delivery-dismissed': 'The delivery was dismissed. Nothing of it was applied.',
  'product-saved': 'The product was saved.',
  'location-saved': 'The location was saved.',
  'stock-adjusted':
    'The stock was adjusted. Its history says who has done it and why, and leads to “Undo”.',
  'order-saved': 'The order was saved.',
  'product-created': 'The product was created.',
  'location-created': 'The location was created.',
  'code-saved': 'The item code was saved. What waits for it is applied within minutes.',
  'code-deleted': 'The item code was deleted.',
  'lines-seen': 'Marked as seen. The order is shown again when its shop delivers other lines.',
  'order-cancelled': 'The order is cancelled.',
  'reason-not-kept':
    'The order was cancelled before. Only the first cancellation sets a reason: yours had no effect.',
  'product-deactivated': 'The product is inactive. Orders and stock keep it.',
  'product-activated': 'The product is active.',
  'location-deactivated': 'The location is inactive. Its stock stays as it is.',
  'location-activated': 'The location is active.',
  'workspace-saved': 'The workspace was saved.',
  'switched-off':
    'The integration was switched off. Every call of the integrations API is now refused.',
  'switched-on': 'The integration was switched on.',
  paused: 'Paused. Requests get 503 with Retry-After from the next one on.',
  resumed:
    'Resumed. From the next request on they are processed again, unless another pause holds.',
  'person-added': 'The person was added, and can sign in from now on.',
  'person-saved': 'Saved. It applies from the next request of this person on.',
  'person-removed': 'The access was taken away. The next request is refused.',
  'session-ended': 'The session was ended. Its next request leads to the sign-in page.',
  'sessions-ended': 'All your other sessions were ended.',
  'signed-out': 'You are signed out.',
}

export type Notice = keyof typeof NOTICES

/** Redirects after a change to a page that says what was done. A reload does not repeat the change. */
export function redirectDone(c: Context<AppEnv>, path: string, done: Notice): Response {
  return c.redirect(`${path}${path.includes('?') ? '&' : '?'}done=${done}`, 303)
}

/** Null for a POST: a form posts to the address of its page, which may still name the previous notice. */
export function noticeOf(c: Context<AppEnv>): string | null {
  const done = c.req.method === 'GET' ? c.req.query('done') : undefined
  return done !== undefined && isNotice(done) ? NOTICES[done] : null
}

function isNotice(done: string): done is Notice {
  return Object.hasOwn(NOTICES, done)
}
