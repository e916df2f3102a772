import { assets } from '../scripts/assets.ts'

/** Builds the static assets, which the Worker reads mapping starters from. */
export default async function setup(): Promise<void> {
  await assets([])
}
