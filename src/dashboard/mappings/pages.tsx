import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, lacksScope, noRecord } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { readPath } from '../../engine/json/path.ts'
import { SENT_ALONE, type SentWith } from '../../engine/json/sent-with.ts'
import { findDocument } from '../../engine/log/documents/read.ts'
import { findPlaces } from '../../engine/redaction/places.ts'
import { documentsOf, mayReadDocuments, memoryFor } from '../../middleware/document-access.ts'
import { findRequest } from '../../requests/audit-log/log.ts'
import { maySendAgain } from '../../requests/send-again/access.ts'
import { changeIdOf } from '../../settings/history/access.ts'
import { findSettingsChange } from '../../settings/history/queries.ts'
import { type Seen, stateAs } from '../../settings/history/schema.ts'
import { findSaved } from '../../settings/mappings/queries.ts'
import { findWaiting } from '../../settings/mappings/replay/waiting.ts'
import { SavedMappingState } from '../../settings/mappings/schema.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { ConflictPanel, conflictOf } from '../changed/conflict.tsx'
import { ChangeLine } from '../changed/line.tsx'
import { writeSentLines } from '../documents/sent-lines.ts'
import type { Form } from '../form/form.ts'
import { VERSION } from '../form/version.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { type MappingPlace, mappingPath, sendAgainPath } from '../paths.ts'
import { pretty, WHOLE_LENGTH_MAX } from '../requests/pretty.ts'
import { showPage } from '../shell/page.tsx'
import { type DraftMembers, draftOfMembers, formerMembers, membersOfDraft } from './conflict.ts'
import { type Draft, NO_RULES, newDraft } from './draft.ts'
import { MappingEditor } from './editor.tsx'
import { showFrame } from './frame.tsx'
import { draftSent } from './remedy.ts'
import type { Replay } from './replay.ts'
import { SavedMapping } from './saved.tsx'
import { draftOfMapping } from './saved-draft.ts'
import { StarterChoice, startersFor, startFrom } from './starter-choice.tsx'
import { type Sample, sampleOf, type Trial, tryDraft } from './trial.ts'

const ONLY_MAPPINGS: Seen = { kinds: ['mapping'], people: false, keys: false }

const EMPTY: Draft = {
  identifier_field: '',
  inbound: NO_RULES,
  outbound: NO_RULES,
}

const UNTRIED = {
  sample: { method: 'POST', document: '', sent: '' },
  trial: { state: 'none' },
  replay: null,
} as const

/** Shows the saved mapping, or a new one. A key that may not change partners gets a read-only page. */
export async function showSaved(c: Context<AppEnv>, place: MappingPlace) {
  const { partnerId, resource } = place
  const db = c.get('db')
  const [partner, saved] = await Promise.all([
    findPartner(db, partnerId),
    findSaved(db, partnerId, resource),
  ])
  if (!may(c, 'settings.partners.write'))
    return showFrame(c, place, { partner, content: <SavedMapping mapping={saved} /> })
  const starters = saved?.inbound ? [] : await startersFor(c.env, resource)
  const chosen = starters.find(({ name }) => name === c.req.query('start'))
  const earlier = await earlierRules(c, place)
  const known = earlier ?? saved
  const draft = known ? draftOfMapping(known) : newDraft(resource)
  const start = chosen ? startFrom(resource, chosen, saved) : await startWith(c, place, draft)
  const mayReplay = mayReadDocuments(c)
  const version = String(saved?.version ?? 0)
  const shown = { resource, partner, ...UNTRIED, ...start, mayReplay, version, error: null }
  const at = mappingPath(place)
  const content = (
    <>
      <StarterChoice at={at} starters={starters} chosen={chosen} />
      {earlier && (
        <p role="status">These rules are from the history. Nothing changes before you save them.</p>
      )}
      {c.req.query('done') !== undefined && maySendAgain(c) && (
        <p>
          Were requests refused before?{' '}
          <a href={sendAgainPath({ partner_id: place.partnerId })}>
            Send the failed ones of this partner again
          </a>
        </p>
      )}
      <MappingEditor at={at} {...shown} />
    </>
  )
  return showFrame(c, place, { partner, content, version: saved?.version })
}

/** The rules of the change that the address names, before or after it; null if it names none. */
async function earlierRules(c: Context<AppEnv>, { partnerId, resource }: MappingPlace) {
  const { change: id, state } = c.req.query()
  if (id === undefined) return null
  if (!may(c, 'settings.audit.read')) throw lacksScope('settings.audit.read')
  const change = await findSettingsChange(c.get('db'), changeIdOf(id), ONLY_MAPPINGS)
  const rules = stateAs(SavedMappingState, state === 'before' ? change.before : change.after)
  if (change.record_id !== partnerId || change.resource !== resource || !rules) {
    throw noRecord('This change has no rules of this mapping.')
  }
  return rules
}

/** With the kept document of a request, if the address names one. */
async function startWith(c: Context<AppEnv>, place: MappingPlace, draft: Draft) {
  const id = c.req.query('document')
  const sample = id === undefined ? null : await sampleOfRequest(c, id)
  return sample ? { draft, sample, trial: await tryDraft(c, place, draft, sample) } : { draft }
}

interface Outcome {
  error?: ApiError
  trial?: Trial
  replay?: Replay
}

/** Shows the form as it was sent, with its errors or the result of a preview or replay. */
export async function showSent(
  c: Context<AppEnv>,
  place: MappingPlace,
  form: Form,
  outcome: Outcome,
) {
  const { error = null, trial = UNTRIED.trial, replay = null } = outcome
  const partner = await findPartner(c.get('db'), place.partnerId)
  const [typed, version] = [draftSent(form), form.text(VERSION)]
  const conflict = await conflictAt(c, place, membersOfDraft(typed, version), error)
  const [draft, sample] = [conflict ? draftOfMembers(conflict.fields) : typed, sampleOf(form)]
  const tried = { trial, replay, mayReplay: mayReadDocuments(c) }
  const at = mappingPath(place)
  const shown = {
    resource: place.resource,
    partner,
    draft,
    sample,
    ...tried,
    error,
    version: conflict?.fields.version ?? version,
    conflict: conflict && (
      <ConflictPanel
        conflict={conflict}
        lines={conflict.changes.map((change) => <ChangeLine c={c} change={change} />)}
        at={at}
      />
    ),
  }
  const editor = <MappingEditor at={at} {...shown} />
  const content = <div data-address={at}>{editor}</div>
  return showFrame(c, place, { partner, content })
}

async function conflictAt(
  c: Context<AppEnv>,
  { partnerId, resource }: MappingPlace,
  sent: DraftMembers,
  error: ApiError | null,
) {
  if (error?.code !== 'PRECONDITION_FAILED') return null
  const saved = await findSaved(c.get('db'), partnerId, resource)
  const now = membersOfDraft(saved ? draftOfMapping(saved) : EMPTY, String(saved?.version ?? 0))
  return await conflictOf(
    c,
    error,
    { record_id: partnerId, resource },
    // Nothing is taken over from a mapping that is deleted.
    { now, sent, formerOf: saved ? formerMembers : () => null },
  )
}

export async function showMappingDeletion(
  c: Context<AppEnv>,
  place: MappingPlace,
  error: ApiError | null,
) {
  const [{ name }, saved] = await Promise.all([
    findPartner(c.get('db'), place.partnerId),
    findSaved(c.get('db'), place.partnerId, place.resource),
  ])
  return showPage(
    c,
    'Delete mapping',
    <Confirmation
      question={`Delete the mapping of ${place.resource}?`}
      action="Delete mapping"
      look="danger"
      back={mappingPath(place)}
      version={saved?.version ?? 0}
      error={error}
    >
      <p>
        From the next request on, the {place.resource} of “{name}” are no longer mapped.
      </p>
    </Confirmation>,
  )
}

/** The kept document of a request, to try a mapping on; null if there is none to show. */
async function sampleOfRequest(c: Context<AppEnv>, id: string): Promise<Sample | null> {
  if (!mayReadDocuments(c)) return null
  try {
    const { method } = await findRequest(logOf(c), id)
    const { body, delivery } = await findDocument(documentsOf(c), id, memoryFor(c))
    return { method, ...sampleIn(body, delivery) }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return await sampleOfWaiting(c, id)
    throw error
  }
}

/** What waits is stored, whatever is kept. */
async function sampleOfWaiting(c: Context<AppEnv>, id: string): Promise<Sample | null> {
  const waiting = await findWaiting(c.get('db'), id)
  if (!waiting) return null
  const { body, document, sent_with } = waiting
  return { method: 'POST', ...sampleIn(body, { document, ...(sent_with ?? SENT_ALONE) }) }
}

/** The record in the body, as the mapping reads it, and what came beside it. */
function sampleIn(body: string, delivery: (SentWith & { document: string | null }) | null) {
  if (!delivery) return { document: editable(body), sent: '' }
  const { document } = delivery
  const [place] = document === null ? [] : (findPlaces(body, [readPath(document)]) ?? [])
  const record = place ? body.slice(place.start, place.end) : body
  return { document: editable(record), sent: writeSentLines(delivery) }
}

/** A text for a form: with a value a line, unless it is no JSON or long. */
function editable(text: string): string {
  return text.length > WHOLE_LENGTH_MAX ? text : pretty(text)
}
