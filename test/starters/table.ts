import type { Starter } from '../../src/settings/mapping-starters/starters.ts'
import type { WebhookPreset } from '../../src/settings/webhook-presets/preset-schema.ts'

type Presets = Pick<WebhookPreset, 'name' | 'starter'>[]

const cells = (...texts: string[]) => `| ${texts.join(' | ')} |`

/** The starters of orders as docs/starters.md lists them. */
export function orderTable(starters: Starter[], presets: Presets): string[] {
  return [
    cells('Starter', 'Creates', 'Counts as shipped', 'Cancels', 'Refused', 'Left out', 'Webhook'),
    '|---|---|---|---|---|---|---|',
    ...starters.flatMap(({ name, title, summary, mapping }) => {
      if (!summary) return []
      const { takes, ships, cancels, refuses, leaves_out } = summary
      const several = mapping.inbound?.records ? '; several orders in one document' : ''
      const named = `\`${name}\`: ${title}${several}`
      return cells(named, takes, ships, cancels, refuses, leaves_out, webhooksOf(name, presets))
    }),
  ]
}

/** The others. */
export function otherTable(starters: Starter[], presets: Presets): string[] {
  return [
    cells('Starter', 'Resource', 'Webhook'),
    '|---|---|---|',
    ...starters
      .filter(({ resource }) => resource !== 'orders')
      .map(({ name, title, resource }) =>
        cells(`\`${name}\`: ${title}`, resource, webhooksOf(name, presets)),
      ),
  ]
}

function webhooksOf(name: string, presets: Presets): string {
  const own = presets.filter(({ starter }) => starter === name)
  return own.map((preset) => `\`${preset.name}\``).join(', ') || 'none'
}
