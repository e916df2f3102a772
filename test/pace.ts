import { Pace } from '../src/engine/limits/pace.ts'

/** For code that a test calls without a request. */
export const pace = new Pace({ tenant: 'demo', key: 'test' })
export const limits = { takeMemory: async () => {}, pace }
