import { isDeepStrictEqual } from 'node:util'
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
      const several = mapping.inbound?.records ? ' (several)' : ''
      return cells(
        `\`${name}\`: ${title}${several}`,
        ...statesOf(name, summary, starters),
        webhooksOf(name, presets),
      )
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

/** What becomes of the states of a system; of one that reads them as a starter before it, the name of that one. */
function statesOf(name: string, summary: NonNullable<Starter['summary']>, starters: Starter[]) {
  const isSame = (other: Starter) => isDeepStrictEqual(other.summary, summary)
  const first = starters.find(isSame)
  if (first && first.name !== name) return [`as \`${first.name}\``, '', '', '', '']
  const { takes, ships, cancels, refuses, leaves_out } = summary
  return [takes, ships, cancels, refuses, leaves_out]
}

function webhooksOf(name: string, presets: Presets): string {
  const own = presets.filter(({ starter }) => starter === name)
  return own.map((preset) => `\`${preset.name}\``).join(', ') || 'none'
}
