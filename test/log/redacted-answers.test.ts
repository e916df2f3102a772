import { describe, expect, it } from 'vitest'
import { documentOf } from '../../src/engine/log/documents/document.ts'
import type { RulesOfAnswer } from '../../src/engine/redaction/answer.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS } from '../fixtures/endpoints.ts'
import { idOf, keysWith, openKept, storedText } from '../fixtures/kept-documents.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import { leaves, MAPPED, PLACES, PLAIN, type Planted, type Shape } from './planted.ts'
import { PREPARED, type World } from './planted-requests.ts'

// Redaction leaves nothing of a place, under whatever name an answer has it: the tests plant values, redact their
// places, and search for the values.

const NO_RULES = { inbound: null, outbound: null }

const keeping = ENDPOINTS.filter(
  ({ area, method, body }) => area === 'integrations' && method !== 'GET' && body,
)

/** A partner with all places redacted. `planted` gets what it sends. */
async function openWorld(resource: Planted, shape: Shape) {
  const { mappings, inWords } = shape
  const redact = PLACES[resource].map(shape.place)
  const { api, admin } = await openKept({ of: 'all', days: 1, redact }, { mappings })
  const planted: [place: string, value: string][] = []
  const sent: World['sent'] = (method, path, body, headers = {}) => {
    planted.push(...leaves(body))
    return api.call(method, path, inWords(method, body), { headers })
  }
  return { admin, sent, planted }
}

function valuesOf(planted: [string, string][], places: readonly string[]): string[] {
  return planted.filter(([place]) => places.includes(place)).map(([, value]) => value)
}

/** Those of the values that the text has as words. */
function foundIn(text: string, values: string[]): string[] {
  return values.filter((value) => new RegExp(`\\b${value.replace(/\W/g, '\\$&')}\\b`).test(text))
}

/** What would be kept of the answer if this place alone were redacted. */
function keptWithout(place: string, body: Json, { status, text }: Answer, rules: RulesOfAnswer) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const sent = { content_type: null, body: bytes, status, answer: text }
  const answer = documentOf(sent, [place], rules)?.answer.body
  if (!answer) throw new Error('The answer was not kept.')
  return answer
}

it('covers every endpoint whose documents are kept', () => {
  const names = keeping.map(({ method, path }) => `${method} ${path.split('/v1')[1]}`)
  expect(Object.keys(PREPARED).toSorted()).toEqual(names.toSorted())
})

describe.each([
  ['sent as it is', PLAIN],
  ['mapped', MAPPED],
])('a document %s', (_, shape) => {
  describe.each(Object.entries(PREPARED))('%s', (endpoint, requests) => {
    const [method = '', path = ''] = endpoint.split(' ')
    const resource = path.split('/')[1] as Planted
    const places = PLACES[resource]
    const rules = shape.mappings[resource] ?? NO_RULES

    it.each(sample(Object.entries(requests), 1))('%s', async (_its, prepare) => {
      const world = await openWorld(resource, shape)
      const { of = '', body, statuses, headers } = await prepare(world)
      for (const query of ['?dry_run=true', '']) {
        const at = path.replace(':identifier', of) + query
        const answer = await world.sent(method, at, body, headers)
        expect(statuses).toContain(answer.status)
        const [key = ''] = await keysWith(idOf(answer))
        const stored = await storedText(key)
        expect(stored).toContain('[redacted]')
        expect(foundIn(stored, valuesOf(world.planted, places))).toEqual([])
        for (const place of places) {
          const sent = shape.inWords(method, body)
          const kept = keptWithout(shape.place(place), sent, answer, rules)
          const found = foundIn(kept, valuesOf(world.planted, [place]))
          expect({ place, found }).toEqual({ place, found: [] })
        }
      }
    })
  })
})
