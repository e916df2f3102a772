import type { Bindings } from '../env.ts'
import { unavailable } from '../errors.ts'
import { inTime } from '../limits/deadline.ts'

/** The static assets of the build. */
export type Assets = Pick<Bindings, 'ASSETS'>

const READ_MS_MAX = 2000

/** What `read` makes of a file of the build; 503 UNAVAILABLE, with `what` as its subject, if the file cannot be read. */
export async function readAsset<T>(
  { ASSETS }: Assets,
  path: string,
  what: string,
  read: (file: Response) => Promise<T>,
): Promise<T> {
  const reading = ASSETS.fetch(`https://assets${path}`).then(async (file) => {
    if (!file.ok) throw new Error(`the assets answer ${file.status}`)
    return await read(file)
  })
  return await inTime(reading, READ_MS_MAX).catch(() => {
    throw unavailable(`${what} cannot be read just now: try again.`, 'STORE_UNREACHABLE')
  })
}
