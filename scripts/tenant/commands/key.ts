import type { Command } from '../command.ts'
import { requireTenant } from '../environment.ts'
import { addSettingsKey } from '../first-key.ts'
import { step } from '../progress.ts'

export const key: Command = {
  parameters: '<slug>',
  summary: 'one more settings key, for a tenant that has lost its own; shown once',
  options: ['dry-run'],
  run: async (environment, [slug = ''], options) => {
    const tenant = requireTenant(environment, slug)
    const base_url = environment.baseUrlOf(slug)
    if (options['dry-run']) {
      const text = `Nothing is changed. I would add a key with settings.* to ${slug}.`
      return { text, json: { tenant: slug, base_url, dry_run: true } }
    }
    const settings_key = await step('Adding a settings key', () =>
      addSettingsKey(environment, tenant.database_name, slug),
    )
    const text = `\nIt is shown this once: keep it now. Revoke what it replaces at ${base_url}/dashboard/.\n\n  Settings key  ${settings_key}`
    return { text, json: { tenant: slug, base_url, settings_key } }
  },
}
