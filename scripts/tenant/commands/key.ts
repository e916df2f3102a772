import type { Command } from '../command.ts'
import { requireTenant } from '../environment.ts'
import { addSettingsKey } from '../first-key.ts'
import { step } from '../progress.ts'

export const key: Command = {
  parameters: '<slug>',
  summary: 'add a settings key, for a tenant that has lost its own; shown once',
  options: ['dry-run'],
  run: async (environment, [slug = ''], options) => {
    const tenant = requireTenant(environment, slug)
    const base_url = environment.baseUrlOf(slug)
    if (options['dry-run']) {
      const text = `Dry run: nothing was changed. This would add a key with settings.* and integrations.* to ${slug}.`
      return { text, json: { tenant: slug, base_url, dry_run: true } }
    }
    const settings_key = await step('Adding a settings key', () =>
      addSettingsKey(environment, tenant.database_name, slug),
    )
    const text = `\nSave the key now: it is not shown again. Revoke the key that it replaces at ${base_url}/dashboard/.\n\n  Settings key  ${settings_key}`
    return { text, json: { tenant: slug, base_url, settings_key } }
  },
}
