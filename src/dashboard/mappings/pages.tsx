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
import { type EditorProps, MappingEditor } from './editor.tsx'
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
  const saved = await findSaved(c.get('db'), place.partnerId, place.resource)
  const draft = saved ? draftOfMapping(saved) : newDraft(place.resource)
  return showEditor(c, place, { draft, ...UNTRIED, error: null }, saved !== null)
}

/** The form as it was sent, with what is wrong in it or with what came of a preview. */
export function showSent(
  c: Context<AppEnv>,
  place: Place,
  form: Form,
  { error = null, trial = UNTRIED.trial }: { error?: ApiError | null; trial?: Trial },
) {
  const [draft, sample] = [draftOfForm(form), sampleOf(form)]
  return showEditor(c, place, { draft, sample, trial, error }, false)
}

async function showEditor(
  c: Context<AppEnv>,
  { partnerId, resource }: Place,
  shown: Pick<EditorProps, 'draft' | 'sample' | 'trial' | 'error'>,
  isSaved: boolean,
) {
  const partner = await findPartner(c.get('db'), partnerId)
  const at = addressOf({ partnerId, resource })
  return showPage(
    c,
    `${partner.name}: ${resource}`,
    <div class="wide" data-address={c.req.method === 'GET' ? undefined : at}>
      <Heading text={`${partner.name}: ${resource}`}>
        <a href={`/dashboard/partners/${partnerId}/`}>Partner</a>
        {isSaved && mayWrite(c) && <a href={`${at}delete/`}>Delete mapping</a>}
      </Heading>
      <ResourceLinks partnerId={partnerId} resource={resource} />
      {mayWrite(c) ? (
        <MappingEditor at={at} partner={partner} resource={resource} {...shown} />
      ) : isSaved ? (
        <SavedMapping draft={shown.draft} />
      ) : (
        <p>There is no mapping of {resource}: documents are taken as they are sent.</p>
      )}
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
