import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/engine/json/json.ts'
import { fieldErrors, messageOf } from '../../src/engine/json/messages.ts'
import { WebhookRules } from '../../src/engine/webhooks/rules.ts'
import { understand } from '../../src/engine/webhooks/understand.ts'

const rules = (fields: object) =>
  WebhookRules.parse({ resource: 'orders', verification: { kind: 'address' }, ...fields })

const read = (fields: object, body: unknown, headers: Record<string, string> = {}) =>
  understand(rules(fields), new Headers(headers), body)

const json = (text: string) => parseJson(new TextEncoder().encode(text)).value

describe('the event of a delivery', () => {
  const TABLE: [string, object, unknown, Record<string, string>, string | null][] = [
    ['of no place', { event: null }, { topic: 'a' }, {}, null],
    [
      'of a header',
      { event: { header: 'X-Topic' } },
      {},
      { 'x-topic': 'order.created' },
      'order.created',
    ],
    ['of a header that is missing', { event: { header: 'X-Topic' } }, {}, {}, null],
    ['of an empty header', { event: { header: 'X-Topic' } }, {}, { 'x-topic': '' }, null],
    ['of a header sent twice', { event: { header: 'X-Topic' } }, {}, { 'x-topic': 'a, b' }, 'a, b'],
    ['of a path', { event: { path: 'meta.topic' } }, { meta: { topic: 'a' } }, {}, 'a'],
    ['of a path to an element', { event: { path: 'events[0]' } }, { events: ['a', 'b'] }, {}, 'a'],
    ['of a number', { event: { path: 'type' } }, { type: 7 }, {}, '7'],
    [
      'of a long number',
      { event: { path: 'type' } },
      json('{"type":9007199254740993}'),
      {},
      '9007199254740993',
    ],
    ['of an object', { event: { path: 'type' } }, { type: { a: 1 } }, {}, null],
    ['of null', { event: { path: 'type' } }, { type: null }, {}, null],
    ['of a body that is no object', { event: { path: 'type' } }, 'text', {}, null],
    ['of an inherited member', { event: { path: 'toString' } }, {}, {}, null],
    [
      'of two places',
      { event: [{ header: 'X-Event' }, { path: 'action' }] },
      { action: 'opened' },
      { 'x-event': 'issues' },
      'issues.opened',
    ],
    [
      'of two, one of them missing',
      { event: [{ header: 'X-Event' }, { path: 'action' }] },
      {},
      { 'x-event': 'push' },
      'push',
    ],
    ['with a line break', { event: { path: 'type' } }, { type: 'a\r\nb' }, {}, 'a\r\nb'],
  ]
  it.each(TABLE)('is read: %s', (_, fields, body, headers, event) => {
    expect(read(fields, body, headers).event).toBe(event)
  })

  it('has at most 255 characters and no half of one', () => {
    const { event } = read({ event: { path: 'type' } }, { type: `${'x'.repeat(254)}😀` })
    expect(event).toHaveLength(255)
    expect(event?.isWellFormed()).toBe(true)
  })
})

describe('what is to be done', () => {
  const ACTIONS = { created: 'upsert', deleted: 'cancel', noise: 'skip' }
  const byType = { event: { path: 'type' }, actions: ACTIONS }
  const paid = { ...byType, take_if: "@.state == 'paid'", cancel_if: "@.state == 'void'" }
  const TABLE: [string, object, object, string][] = [
    ['an empty body is a ping', byType, {}, 'skip'],
    ['a ping is skipped', byType, { type: 'ping' }, 'skip'],
    ['a test is skipped', byType, { type: 'webhook.test' }, 'skip'],
    ['latest is no test', byType, { type: 'latest' }, 'upsert'],
    [
      'a ping that has an action',
      { ...byType, actions: { ping: 'cancel' } },
      { type: 'ping' },
      'cancel',
    ],
    [
      'without a record no condition is asked',
      { ...paid, document: 'data' },
      { type: 'created' },
      'upsert',
    ],
    ['the named action', byType, { type: 'deleted' }, 'cancel'],
    ['upsert for an event without a name here', byType, { type: 'other' }, 'upsert'],
    ['upsert without an event', byType, { a: 1 }, 'upsert'],
    ['what * says', { ...byType, actions: { ...ACTIONS, '*': 'skip' } }, { type: 'other' }, 'skip'],
    ['what * says without an event', { ...byType, actions: { '*': 'skip' } }, { a: 1 }, 'skip'],
    ['not what an inherited name says', byType, { type: 'constructor' }, 'upsert'],
    ['not what __proto__ says', byType, { type: '__proto__' }, 'upsert'],
    ['another case is another event', byType, { type: 'Deleted' }, 'upsert'],
    ['take_if takes', paid, { type: 'created', state: 'paid' }, 'upsert'],
    ['take_if leaves out', paid, { type: 'created', state: 'draft' }, 'skip'],
    ['take_if leaves out what lacks it', paid, { type: 'created' }, 'skip'],
    ['cancel_if goes first', paid, { type: 'created', state: 'void' }, 'cancel'],
    ['a cancelling event asks no condition', paid, { type: 'deleted', state: 'draft' }, 'cancel'],
    ['a skipped event asks no condition', paid, { type: 'noise', state: 'void' }, 'skip'],
    [
      'products are deactivated by cancel_if',
      { resource: 'products', cancel_if: "@.status == 'archived'" },
      { status: 'archived' },
      'deactivate',
    ],
    ['stock is uploaded', { resource: 'inventory' }, { a: 1 }, 'upload'],
    [
      'conditions read what document names',
      { ...paid, document: 'data.object' },
      { type: 'created', state: 'draft', data: { object: { state: 'paid' } } },
      'upsert',
    ],
  ]
  it.each(TABLE)('is decided: %s', (_, fields, body, action) => {
    const { action: told, reason } = read(fields, body)
    expect([told, reason === null]).toEqual([action, action !== 'skip'])
  })

  it('is not decided by conditions that take too many steps', () => {
    const list = Array.from({ length: 10_000 }, (_, at) => ({ at, text: 'x'.repeat(20) }))
    const take_if = Array.from({ length: 60 }, () => '@.a == @.b').join(' && ')
    const large = { a: list, b: structuredClone(list) }
    expect(read({ take_if }, large).isTooMuch).toBe(true)
    expect(read({ take_if: '@.a[0].at == 0' }, large).isTooMuch).toBe(false)
  })
})

describe('how new a document is', () =>
  it.each<[string, object, unknown, string | null | undefined]>([
    ['not said', { changed_at: null }, { at: 5 }, null],
    ['a number', { changed_at: 'at' }, { at: 5 }, `n${'5'.padStart(20, '0')}.0000000000`],
    [
      'a number beyond 2^53',
      { changed_at: 'at' },
      json('{"at":9007199254740993}'),
      'n00009007199254740993.0000000000',
    ],
    [
      'in the envelope',
      { changed_at: 'at', document: 'd' },
      { d: { at: '2026-03-01' } },
      't2026-03-01T00:00:00.000000000',
    ],
    ['missing', { changed_at: 'at' }, {}, null],
    ['no time', { changed_at: 'at' }, { at: 'soon' }, undefined],
  ])('is read: %s', (_, fields, body, change) => {
    expect(read(fields, body).change).toBe(change)
  }))

describe('the record in a body', () =>
  it.each<[string, string | null, unknown, unknown]>([
    ['the body', null, [1], [1]],
    ['at a path', 'a.b', { a: { b: 5 } }, 5],
    ['in a list', 'a[0]', { a: [{ c: 1 }] }, { c: 1 }],
    ['none', 'a.b', { a: {} }, undefined],
    ['none by inheritance', 'a.toString', { a: {} }, undefined],
  ])('is found: %s', (_, document, body, record) => {
    expect(read({ document }, body).record).toEqual(record)
  }))

describe('rules', () => {
  const faults = (fields: object) => {
    const given = { resource: 'orders', verification: { kind: 'address' }, ...fields }
    const { error } = WebhookRules.safeParse(given, { error: messageOf })
    return Object.keys(fieldErrors(error?.issues ?? []))
  }
  it.each<[string, object, string[]]>([
    ['nothing but a resource and a check', {}, []],
    [
      'nulls for all that is optional',
      {
        event: null,
        delivery_id: null,
        document: null,
        take_if: null,
        cancel_if: null,
        changed_at: null,
      },
      [],
    ],
    ['an unknown resource', { resource: 'shops' }, ['resource']],
    ['an unknown action', { event: { path: 'a' }, actions: { a: 'delete' } }, ['actions.a']],
    [
      'an action of another resource',
      { event: { path: 'a' }, actions: { a: 'deactivate' } },
      ['actions.a'],
    ],
    ['an event without its place', { actions: { a: 'skip' } }, ['actions.a']],
    ['* without a place', { actions: { '*': 'skip' } }, []],
    ['a filter with two', { take_if: '@.a == 1][?@.b == 2' }, ['take_if']],
    ['a broken filter', { take_if: '@.a ==' }, ['take_if']],
    ['an empty filter', { take_if: '' }, ['take_if']],
    ['a long filter', { take_if: `@.a == '${'x'.repeat(1000)}'` }, ['take_if']],
    ['a path to several values', { document: 'a[*].b' }, ['document']],
    ['a path with a filter', { changed_at: 'a[?@.b == 1].c' }, ['changed_at']],
    ['a header that the connection sets', { event: { header: 'Host' } }, ['event.header']],
    ['a path of __proto__', { changed_at: '__proto__' }, ['changed_at']],
    ['a place with both', { event: { header: 'X-A', path: 'b' } }, ['event']],
    ['four places', { event: [1, 2, 3, 4].map((n) => ({ path: `a${n}` })) }, ['event']],
    ['no places', { event: [] }, ['event']],
    ['stock that is cancelled', { resource: 'inventory', cancel_if: '@.a == 1' }, ['cancel_if']],
    ['stock with changed_at', { resource: 'inventory', changed_at: 'a' }, ['changed_at']],
    [
      '51 events',
      {
        event: { path: 'a' },
        actions: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`e${n}`, 'skip'])),
      },
      ['actions'],
    ],
  ])('are checked: %s', (_, fields, names) => {
    expect(faults(fields)).toEqual(names)
  })
})
