import { inTime } from '../limits/deadline.ts'

/** R2 deletes, and lists, at most so many objects in one call. */
export const R2_OBJECTS_MAX = 1000

const CALL_MS_MAX = 10_000

/** Deletes objects by their keys, at most R2_OBJECTS_MAX. Throws if R2 does not confirm it in time. */
export async function deleteObjects(bucket: R2Bucket, keys: string[]): Promise<void> {
  await inTime(bucket.delete(keys), CALL_MS_MAX)
}
