import * as z from 'zod'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { unknownRecord } from '../errors.ts'

/** That has not ended. */
const Session = named(
  'Session',
  z.object({
    id: z.string(),
    api_key: z.object({ id: z.string(), name: z.string() }),
    device: z.string().nullable(),
    place: z.string().nullable(),
    created_at: z.string(),
    ends_at: z.string(),
  }),
)
const EndedSession = named('EndedSession', z.object({ id: z.string(), ended_at: z.string() }))

const ID = '7c0c4f2e-0b7e-4b69-9c1e-3f1d5a0a4b52'

export const sessionsReference = endpoints('settings', 'API keys', {
  'GET /sessions/': {
    operationId: 'listSessions',
    summary: 'List sessions',
    description:
      'Returns the sessions of the dashboard that have not ended, newest first: which key has signed in, from where and with what. `api_key_id` narrows it to those of one key.',
    answer: pageOf('sessions', Session, {
      id: ID,
      api_key: { id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01', name: 'Warehouse office' },
      device: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      place: 'Oslo, NO',
      created_at: '2026-11-21T12:07:50.269Z',
      ends_at: '2026-11-21T20:07:50.000Z',
    }),
  },
  'DELETE /sessions/{id}/': {
    operationId: 'endSession',
    summary: 'End a session',
    description:
      'Signs a browser out, wherever it is: the next request with the cookie of this session leads to the sign-in page, and so does one with a copy of it. The key itself stays valid: revoke it so that nobody signs in with it again.',
    answer: {
      description: 'The session that has ended.',
      data: EndedSession,
      example: { id: ID, ended_at: '2026-11-21T12:30:11.004Z' },
    },
    errors: {
      NOT_FOUND: unknownRecord(`No session that has not ended has the id "${ID}".`),
    },
  },
})
