import { SettingsChanged, type TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError } from '../../engine/errors.ts'

interface Words {
  /** What could not be done just now. */
  broken: string
  /** The database did not say whether it was done. */
  unknown: string
}

const SETTINGS_CHANGED = 'The settings changed meanwhile. Continue.'

/** Why a run stops before this change. An error is thrown only while this request has changed nothing. */
export function stoppedBy(db: TenantDatabase, hasDone: boolean, { broken, unknown }: Words) {
  return (error: unknown): { stopped: string } => {
    if (db.writeState === 'unknown') return { stopped: unknown }
    if (error instanceof ApiError && error.code === 'UNAVAILABLE') return { stopped: error.message }
    if (!hasDone) throw error
    return { stopped: error instanceof SettingsChanged ? SETTINGS_CHANGED : broken }
  }
}
