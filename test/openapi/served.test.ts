import { describe, expect, it } from 'vitest'
import { EARLIER_DOCUMENTS, OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'
import { send } from '../fixtures/tenant.ts'

const ALL = { ...OPENAPI_DOCUMENTS, ...EARLIER_DOCUMENTS }

describe.each(Object.entries(ALL))('GET %s', (path, document) => {
  it.each(['https://demo.crossdock.example', 'http://localhost:9000', 'http://127.0.0.1:8787'])(
    'is the document, with the address at which it was asked for: %s',
    async (origin) => {
      const answer = await send(new Request(origin + path))
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ servers: [{ url: origin }], ...document })
      expect(answer.headers.get('Cache-Control')).toBe('no-store')
    },
  )
})
