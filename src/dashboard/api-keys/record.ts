import type { API_KEY } from '../../settings/api-keys/kind.ts'

/** A key as lists have it. */
export type KeyRecord = Omit<ReturnType<typeof API_KEY.shown>, 'version'>
