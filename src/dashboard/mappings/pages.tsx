import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { RESOURCES, type Resource } from '../../mapping/identifier.ts'
import { findSaved } from '../../settings/mappings/queries.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { Confirmation } from '../controls.tsx'
import type { Form } from '../form.ts'
import { Heading, mayWrite, showPage } from '../page.tsx'
import { draftOfForm, draftOfMapping, newDraft } from './draft.ts'
import { MappingEditor } from './editor.tsx'
import { SavedMapping } from './saved.tsx'
import { sampleOf, type Trial } from './trial.ts'

export interface Place {
  partnerId: string
  resource: Resource
}

const UNTRIED = {
  sample: { method: 'POST', document: '' },
  trial: { state: 'none' },
} as const

/** What is saved; to begin with, where nothing is, our required fields. */
export async function showSaved(c: Context<AppEnv>, place: Place) {
  const { partnerId, resource } = place
  const db = c.get('db')
  const [partner, saved] = await Promise.all([
    findPartner(db, partnerId),
    findSaved(db, partnerId, resource),
  ])
  if (!mayWrite(c))
    return showFrame(c, place, { partner, content: <SavedMapping mapping={saved} /> })
  const draft = saved ? draftOfMapping(saved) : newDraft(resource)
  const shown = { resource, partner, draft, ...UNTRIED, error: null }
  const content = <MappingEditor at={addressOf(place)} {...shown} />
  return showFrame(c, place, { partner, content, isSaved: saved !== null })
}

interface Outcome {
  error?: ApiError
  trial?: Trial
}

/** The form as it was sent, with what is wrong in it or with what came of a preview. */
export async function showSent(c: Context<AppEnv>, place: Place, form: Form, outcome: Outcome) {
  const { error = null, trial = UNTRIED.trial } = outcome
  const partner = await findPartner(c.get('db'), place.partnerId)
  const [draft, sample] = [draftOfForm(form), sampleOf(form)]
  const shown = { resource: place.resource, partner, draft, sample, trial, error }
  const editor = <MappingEditor at={addressOf(place)} {...shown} />
  const content = <div data-address={addressOf(place)}>{editor}</div>
  return showFrame(c, place, { partner, content })
}

interface Frame {
  partner: { id: string; name: string }
  content: unknown
  /** There is something to delete. */
  isSaved?: boolean
}

function showFrame(c: Context<AppEnv>, place: Place, { partner, content, isSaved }: Frame) {
  const title = `${partner.name}: ${place.resource}`
  return showPage(
    c,
    title,
    <div class="wide">
      <Heading text={title}>
        <a href={`/dashboard/partners/${partner.id}/`}>Partner</a>
        {isSaved && <a href={`${addressOf(place)}delete/`}>Delete mapping</a>}
      </Heading>
      <ResourceLinks {...place} />
      {content}
    </div>,
  )
}

export async function showDeletion(c: Context<AppEnv>, place: Place, error: ApiError | null) {
  const { name } = await findPartner(c.get('db'), place.partnerId)
  return showPage(
    c,
    'Delete mapping',
    <Confirmation
      question={`Delete the mapping of ${place.resource}?`}
      action="Delete mapping"
      look="danger"
      back={addressOf(place)}
      error={error}
    >
      <p>
        From the next request on, the {place.resource} of “{name}” are taken as they are sent.
      </p>
    </Confirmation>,
  )
}

export function addressOf({ partnerId, resource }: Place): string {
  return `/dashboard/partners/${encodeURIComponent(partnerId)}/mappings/${resource}/`
}

function ResourceLinks({ partnerId, resource }: Place) {
  return (
    <nav class="resources" aria-label="Mappings of the partner">
      {RESOURCES.map((other) => (
        <a
          href={addressOf({ partnerId, resource: other })}
          aria-current={other === resource ? 'page' : undefined}
        >
          {other}
        </a>
      ))}
    </nav>
  )
}
