import { oneRow } from '../fixtures/sql.ts'

export const PAST = '2026-01-01T00:00:00.000Z'

export const rowOf = (id: string) => oneRow('select * from api_keys where id = ?', id)
