import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { FieldErrors } from '../../engine/errors.ts'
import { replayAsked } from '../../settings/mappings/replay/asked.ts'
import type { Replayed } from '../../settings/mappings/replay/replay.ts'
import { LAST_DEFAULT } from '../../settings/mappings/schema.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import type { Form } from '../form/form.ts'
import type { MappingPlace } from '../paths.ts'
import { draftSent } from './remedy.ts'
import { checked } from './trial.ts'

export type Replay =
  /** The mapping in the form is not valid. */
  | { state: 'faulty'; faults: FieldErrors }
  /** `kept` is whose documents the partner's policy keeps by now. */
  | { state: 'tried'; result: Replayed; kept: 'errors' | 'all' | null }

/** Sends the kept documents through the saved mapping and through the one in the form. */
export async function replayForm(
  c: Context<AppEnv>,
  { partnerId, resource }: MappingPlace,
  form: Form,
): Promise<Replay> {
  const mapping = checked(resource, draftSent(form))
  if ('faults' in mapping) return { state: 'faulty', faults: mapping.faults }
  const { keep_documents } = await findPartner(c.get('db'), partnerId)
  const result = await replayAsked(c, partnerId, resource, { mapping, last: LAST_DEFAULT })
  return { state: 'tried', result, kept: keep_documents?.of ?? null }
}
