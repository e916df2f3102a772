import { secretCommand } from './groups.ts'
import { runWrangler } from './wrangler.ts'

/** Tells if the dashboard's secret is not set. Only the dashboard needs it, so a deployment without it does not fail. */
export async function remindOfSecret(env: string, tell: (text: string) => void): Promise<void> {
  const args = ['secret', 'list', '--env', env, '--format', 'json']
  const listed = await runWrangler(args).catch(() => null)
  if (listed === null || listed.includes('"SESSION_SECRET"')) return
  tell(`Nobody can sign in to the dashboard until you set its secret:\n  ${secretCommand(env)}`)
}
