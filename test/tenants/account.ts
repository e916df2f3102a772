import type { WorkerOptions } from './runtime.ts'

export const TOKEN = 'operator-token-for-tests-only-0123456789'
export const ACCOUNT = { id: 'a11ce0a11ce0a11ce0a11ce0a11ce0aa', name: 'Crossdock' }
export const ZONE = { id: 'cafe0000cafe0000cafe0000cafe0000', name: 'crossdock.example' }

export interface Database {
  uuid: string
  name: string
  created_at: string
  jurisdiction: string | null
  /** The location hint that was asked for. */
  location: string | null
}

export interface Namespace {
  id: string
  title: string
}

export interface Script {
  name: string
  options: WorkerOptions
  routes: string[]
}

/** What the account holds, beside the databases' rows. */
export interface Account {
  databases: Map<string, Database>
  namespaces: Map<string, Namespace>
}

export function emptyAccount(): Account {
  return { databases: new Map(), namespaces: new Map() }
}
