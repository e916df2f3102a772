import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { listPresets } from '../../settings/webhook-presets/presets.ts'
import { Heading } from '../parts/heading.tsx'
import { connectPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { carriesNothing, partOf, systemOf } from './preset.ts'

/** The systems to choose from. */
export async function showSystems(c: Context<AppEnv>) {
  const presets = await listPresets(c.env)
  const isSystem = (preset: WebhookPreset) => partOf(preset) !== null || carriesNothing(preset)
  const carrying = presets.filter((preset) => isSystem(preset) && !carriesNothing(preset))
  const naming = presets.filter(carriesNothing)
  const others = presets.filter((preset) => !isSystem(preset))
  return showPage(
    c,
    'Connect a system',
    <>
      <Heading text="Connect a system" />
      <p>
        Which system sends you its documents? It gets an address of its own here, and delivers to it
        by webhook: each new and changed order, for example.
      </p>
      <Cards title="Shops and warehouses" presets={carrying} />
      <Cards title="Any other system" presets={others} />
      <Cards title="Systems that only name their orders" presets={naming} />
    </>,
  )
}

function Cards({ title, presets }: { title: string; presets: WebhookPreset[] }) {
  const systems = Map.groupBy(presets, systemOf)
  const names = [...systems.keys()].toSorted((one, other) => one.localeCompare(other))
  return (
    <section>
      <h2>{title}</h2>
      <ul class="cards">
        {names.map((name) => (
          <Card system={name} presets={systems.get(name) ?? []} />
        ))}
      </ul>
    </section>
  )
}

function Card({ system, presets }: { system: string; presets: WebhookPreset[] }) {
  return (
    <li>
      <article>
        <h3>{system}</h3>
        {presets.toSorted(byResource).map((preset) => (
          <Offer system={system} preset={preset} />
        ))}
      </article>
    </li>
  )
}

/** Orders first. */
function byResource({ resource: one }: WebhookPreset, { resource: other }: WebhookPreset): number {
  return RESOURCES.indexOf(one) - RESOURCES.indexOf(other)
}

/** The form says the rest. */
function Offer({ system, preset }: { system: string; preset: WebhookPreset }) {
  const [first] = preset.about.split(/(?<=\.) /)
  return (
    <>
      <p>
        <a href={connectPath(preset.name)}>
          {partOf(preset) ?? 'Connect'} <span class="for-reader">of {system}</span>
        </a>
      </p>
      {carriesNothing(preset) ? (
        <p class="form-error">Its events name an order and do not carry it: no order is created.</p>
      ) : (
        <p>{first}</p>
      )}
    </>
  )
}
