import type { Context } from 'hono'
import type { Need } from '../../engine/db/delivery-tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { inForce } from '../../engine/model/pause.ts'
import { mappedDocuments } from '../../settings/mappings/queries.ts'
import { type NamedPartner, namePartners } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { Time } from '../parts/time.tsx'
import {
  itemCodesPath,
  mappingPath,
  newRecordPath,
  PARTNERS_PATH,
  recordPath,
  WORKSPACE_PATH,
  webhookPath,
} from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { RecordLink } from '../records/record-link.tsx'

/** One delivery that waits, or several with one remedy. */
export interface Needing {
  needs: Need
  needs_code: string | null
  /** Null of several that wait for something else than settings or the switch. */
  partner_id: string | null
  resource: Resource | null
  /** The oldest. */
  delivery_id: string
  /** Of one delivery. */
  webhook_id?: string
}

/** What is known about the things that deliveries need. */
export interface Known {
  /** By id; none that the session's key may not see. */
  partners: Map<string, NamedPartner>
  /** The ids of products and locations that are there, by name. */
  products: Map<string, string>
  locations: Map<string, string>
  /** Whether the partner's documents of this resource are mapped; undefined if the session's key may not know. */
  isMapped: (of: Pick<Needing, 'partner_id' | 'resource'>) => boolean | undefined
}

export async function knownAbout(c: Context<AppEnv>, needing: Needing[]): Promise<Known> {
  const codes = (need: Need) =>
    needing.flatMap(({ needs, needs_code }) => (needs === need ? (needs_code ?? []) : []))
  const ids = [...new Set(needing.flatMap(({ partner_id }) => partner_id ?? []))]
  const seesPartners = ids.length > 0 && may(c, 'settings.partners.read')
  const needsSettings = needing.some(({ needs }) => needs === 'settings')
  const [products, locations, partners, mapped] = await Promise.all([
    linkedIds(c, 'products', codes('product')),
    linkedIds(c, 'locations', codes('location')),
    seesPartners ? namePartners(c.get('db'), ids) : new Map(),
    seesPartners && needsSettings ? mappedDocuments(c.get('db'), ids) : null,
  ])
  const isMapped = ({ partner_id, resource }: Pick<Needing, 'partner_id' | 'resource'>) =>
    mapped?.has(`${partner_id} ${resource}`)
  return { products, locations, partners, isMapped }
}

const RESOURCE_OF = { product: 'products', location: 'locations' } as const

interface RemedyProps {
  c: Context<AppEnv>
  of: Needing
  known: Known
}

/** What a delivery waits for, such as `the product 641`. */
export function NeededThing({ of, known }: Omit<RemedyProps, 'c'>) {
  const { needs, needs_code, resource } = of
  const whose = ofPartner(of, known)
  if (needs === 'product' || needs === 'location') {
    return (
      <>
        the {needs}{' '}
        <code>
          <RecordLink
            resource={RESOURCE_OF[needs]}
            name={needs_code ?? ''}
            ids={known[RESOURCE_OF[needs]]}
          />
        </code>
      </>
    )
  }
  if (isOfCode(needs)) {
    return (
      <>
        the item code <code>{needs_code}</code>
        {whose}
      </>
    )
  }
  if (needs === 'settings') {
    return known.isMapped(of) === false
      ? `a mapping of ${resource}${whose}: there is none yet`
      : `the mapping of ${resource}${whose}, or its webhook`
  }
  if (needs === 'switch') return <>{`the integration${whose}, which is switched off or paused`}</>
  return needs === 'time' ? 'a later try, after trouble' : 'a person'
}

/** Such as ` of ACME`; empty without a partner, and if the session's key may not see the partner's name. */
function ofPartner({ partner_id }: Needing, { partners }: Known): string {
  const name = partners.get(partner_id ?? '')?.name
  return name === undefined ? '' : ` of ${name}`
}

/** What meets the need: the first link is the shortest way. Nothing that the session's key may not do. */
export function NeedRemedy({ c, of, known, next_try }: RemedyProps & { next_try: string | null }) {
  const { needs } = of
  if (needs === 'product' || needs === 'location')
    return <RecordRemedy c={c} of={of} known={known} />
  if (isOfCode(needs)) return <CodeRemedy c={c} of={of} known={known} />
  if (needs === 'settings') return <SettingsRemedy c={c} of={of} known={known} />
  if (needs === 'switch') return <SwitchRemedy c={c} of={of} known={known} />
  if (needs === 'time') {
    return (
      <>
        Crossdock tries again by itself, next <Time at={next_try} none="soon" />.
      </>
    )
  }
  return <>Look at it: apply it once the record allows it, or dismiss it.</>
}

function RecordRemedy({ c, of: { needs, needs_code }, known }: RemedyProps) {
  const resource = RESOURCE_OF[needs as keyof typeof RESOURCE_OF]
  const code = needs_code ?? ''
  const id = known[resource].get(code)
  if (id !== undefined) {
    return (
      <>
        <a href={recordPath(resource, id)}>{`The ${needs} ${code}`}</a> is there: they are applied
        within minutes.
      </>
    )
  }
  return may(c, `integrations.${resource}.read`) && may(c, `integrations.${resource}.write`) ? (
    <a href={newRecordPath(resource, code)}>{`Create the ${needs} ${code}`}</a>
  ) : (
    `Somebody creates the ${needs}.`
  )
}

function isOfCode(needs: Need): boolean {
  return needs === 'product_code' || needs === 'location_code'
}

function CodeRemedy({ c, of: { partner_id, needs, needs_code }, known }: RemedyProps) {
  const whose = partner_id === null ? undefined : known.partners.get(partner_id)?.name
  if (partner_id === null || whose === undefined || !may(c, 'settings.partners.read')) {
    return <>Somebody enters what the item code stands for.</>
  }
  const kind = needs === 'product_code' ? 'products' : 'locations'
  const code = needs_code ?? ''
  const at = itemCodesPath({ partnerId: partner_id, kind }, { code })
  return may(c, 'settings.partners.write') ? (
    <a href={`${at}#enter`}>{`Enter what ${code} of ${whose} stands for`}</a>
  ) : (
    <>
      Somebody enters it in the <a href={at}>item codes of {whose}</a>.
    </>
  )
}

function SettingsRemedy({ c, of, known }: RemedyProps) {
  const { partner_id, resource, delivery_id, webhook_id } = of
  if (partner_id === null || resource === null || !may(c, 'settings.partners.read')) {
    return <>Somebody corrects the mapping or the rules of the webhook.</>
  }
  const at = mappingPath({ partnerId: partner_id, resource })
  const action = known.isMapped(of) === false ? 'Make' : 'Open'
  return (
    <>
      <a href={`${at}?document=${encodeURIComponent(delivery_id)}`}>
        {`${action} the mapping of ${resource}${ofPartner(of, known)} with this document`}
      </a>
      {webhook_id !== undefined && may(c, 'settings.keys.read') && (
        <>
          {', or the '}
          <a href={webhookPath(webhook_id)}>rules of the webhook</a>
        </>
      )}
    </>
  )
}

function SwitchRemedy({ c, of: { partner_id, webhook_id }, known }: RemedyProps) {
  const { integration_enabled, pauses } = c.get('caller')
  const mayChange = may(c, 'settings.workspace.read') && may(c, 'settings.workspace.write')
  if (!integration_enabled) {
    return mayChange ? (
      <a href={`${WORKSPACE_PATH}integration/`}>Switch the integration on</a>
    ) : (
      <>Somebody switches the integration on.</>
    )
  }
  if (inForce(pauses.workspace)) {
    return mayChange ? (
      <a href={`${WORKSPACE_PATH}pause/`}>Resume all</a>
    ) : (
      <>Somebody ends the pause.</>
    )
  }
  const partner = known.partners.get(partner_id ?? '')
  if (partner_id !== null && partner && inForce(partner.pause)) {
    const at = `${PARTNERS_PATH}${encodeURIComponent(partner_id)}/#pause`
    return <a href={at}>{`Resume ${partner.name}`}</a>
  }
  return webhook_id !== undefined && may(c, 'settings.keys.read') ? (
    <a href={webhookPath(webhook_id)}>Resume the webhook</a>
  ) : (
    <>They are applied within minutes, unless their webhook is paused.</>
  )
}
