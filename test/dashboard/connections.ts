import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import { findStarter } from '../../src/settings/mapping-starters/starters.ts'
import type { Fields } from '../fixtures/forms.ts'
import type { Dashboard } from '../fixtures/session.ts'
import { type Answer, type Json, send, unique } from '../fixtures/tenant.ts'
import { decode, fieldsOf } from './form-fields.ts'

export const CONNECT = '/dashboard/connect/'
export const WOO = 'woocommerce-orders'

/** A connection as the page shows it when it is made. */
export interface Made {
  answer: Answer
  address: string
  /** That Crossdock has chosen; empty if the sender gives it. */
  secret: string
  /** Of the webhook. */
  id: string
  /** The path of its page. */
  at: string
  /** What its forms send along. */
  carried: { address: string; shown_secret: string }
}

/** Fills in the form of the preset as a person would, and sends it. */
export async function connect(
  dashboard: Dashboard,
  preset = WOO,
  fields: Fields = {},
): Promise<Made> {
  const path = `${CONNECT}${preset}/`
  const blank = fieldsOf((await dashboard.get(path)).text, 'connect')
  const answer = await dashboard.post(path, { ...blank, name: unique('shop'), ...fields })
  return madeIn(answer)
}

export function madeIn(answer: Answer): Made {
  const [, at = ''] = /data-address="([^"]*)"/.exec(answer.text) ?? []
  const id = at.split('/').at(-2) ?? ''
  const address = hiddenIn(answer, 'address')
  const secret = hiddenIn(answer, 'shown_secret')
  return { answer, address, secret, id, at, carried: { address, shown_secret: secret } }
}

/** The value of the page's first hidden field of this name. */
export function hiddenIn({ text }: Answer, name: string): string {
  return decode(new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '')
}

/** The text of the page without its tags. */
export function wordsOf({ text }: Answer): string {
  const main = text.slice(text.indexOf('<main'))
  return decode(main.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
}

/** An order as WooCommerce sends it, with these members, and what it is of: products that have to be there. */
export async function wooOrder(fields: Json = {}): Promise<Json> {
  const { document } = await findStarter(env, 'woocommerce-order')
  const number = unique('W')
  return { ...(document as Json), id: number, number, ...fields }
}

/** Delivers to the address as WooCommerce does. */
export async function deliverWoo(address: string, secret: string, order: Json) {
  const body = JSON.stringify(order)
  const signature = createHmac('sha256', secret).update(body).digest('base64')
  const headers = {
    'Content-Type': 'application/json',
    'X-WC-Webhook-Topic': 'order.created',
    'X-WC-Webhook-Signature': signature,
  }
  return await send(new Request(address, { method: 'POST', body, headers }), {})
}
