import { db } from '../fixtures/opened.ts'

export const PAST = '2026-01-01T00:00:00.000Z'

export const rowOf = (id: string) =>
  db.prepare('select * from api_keys where id = ?').bind(id).first()
