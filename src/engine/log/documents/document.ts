import { isOtherFormat } from '../../formats/format.ts'
import { findKeysEscaped } from '../../identity/escaped-keys.ts'
import { hideKeys } from '../../identity/key.ts'
import { type Path, readPath } from '../../json/path.ts'
import { SentValue, type SentWith } from '../../json/sent-with.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { type RulesOfAnswer, redactAnswer, redactPlaces } from '../../redaction/answer.ts'
import { redactDeliveryAnswer } from '../../redaction/delivery.ts'
import { REDACTED } from '../../redaction/messages.ts'
import { edited } from '../../redaction/places.ts'
import { Quotes } from '../../redaction/quotes.ts'

const CONTENT_TYPE_LENGTH_MAX = 255

/** How the body of a delivery was read. */
export interface KeptDelivery extends SentWith {
  resource: Resource
  /** The path of the record in the body; null if the body was the record. */
  document: string | null
}

/** A request's body as it came, and its answer. */
export interface SentBody {
  content_type: string | null
  body: Uint8Array
  status: number
  /** Null if it is too large to be kept. */
  answer: string | null
  delivery?: KeptDelivery | null
}

/** A document as it is stored and shown. */
export interface KeptDocument {
  content_type: string | null
  body: string
  /** `base64` if the body is not UTF-8. */
  encoding: 'utf-8' | 'base64'
  answer: { status: number; body: string | null }
  /** The paths of the policy that led to something in the body, or beside it. */
  redacted: string[]
  /** Of a delivery. Absent in what was stored before there were any. */
  delivery?: KeptDelivery | null
}

/**
 * The document without the places that `redact` names, and with hints for API keys. Null if there are such
 * paths and the body is not JSON as a whole, or was sent as something else. The mapping's rules tell which parts of the answer come from these
 * places.
 */
export function documentOf(
  sent: SentBody,
  redact: readonly string[],
  rules: RulesOfAnswer,
): KeptDocument | null {
  const content_type = sent.content_type && shortHeader(sent.content_type)
  const text = decoded(sent.body)
  if (redact.length > 0) {
    // A CSV may look like JSON, and has its values elsewhere.
    const isJson = text !== null && !isOtherFormat(sent.content_type)
    const redacted = !isJson ? null : redactedText(text, sent, redact, rules)
    return redacted && { content_type, ...kept(redacted.body, sent, redacted) }
  }
  const { answer, delivery = null } = sent
  return { content_type, ...kept(text, sent, { answer, paths: [], delivery }) }
}

interface Redacted {
  answer: string | null
  paths: string[]
  delivery: KeptDelivery | null
}

function kept(
  text: string | null,
  { body, status }: SentBody,
  { answer, paths, delivery }: Redacted,
): Omit<KeptDocument, 'content_type'> {
  const inText = text !== null && { body: withHints(text), encoding: 'utf-8' as const }
  return {
    ...(inText || { body: base64(body), encoding: 'base64' as const }),
    answer: { status, body: answer && withHints(answer) },
    redacted: paths,
    delivery,
  }
}

/** An answer that cannot be redacted is left out. */
function redactedText(
  text: string,
  { answer, delivery = null }: SentBody,
  redact: readonly string[],
  rules: RulesOfAnswer,
): (Redacted & { body: string }) | null {
  const paths = redact.map(readPath)
  const body = redactPlaces(text, paths, { listsAnything: true })
  if (!body) return null
  const beside = delivery && redactedBeside(delivery, paths)
  const quotes = new Quotes(text, body.places, beside?.values)
  const found = new Set<Path>([...body.places.map(({ path }) => path), ...(beside?.found ?? [])])
  const redacted = { paths, quotes }
  return {
    body: body.text,
    answer:
      answer &&
      (delivery
        ? redactDeliveryAnswer(answer, redacted, rules, delivery)
        : redactAnswer(answer, redacted, rules)),
    paths: redact.filter((_, at) => found.has(paths[at] ?? [])),
    delivery: beside?.delivery ?? null,
  }
}

/** The headers and parameters without the values that the paths name; those values, and the paths that led to some. */
function redactedBeside(delivery: KeptDelivery, paths: readonly Path[]) {
  const found: Path[] = []
  const values: string[] = []
  const redacted = { headers: { ...delivery.headers }, query: { ...delivery.query } }
  for (const path of paths) {
    const [step] = path
    const value = step instanceof SentValue ? step.in(delivery) : undefined
    if (!(step instanceof SentValue) || value === undefined) continue
    found.push(path)
    values.push(value)
    if (step.kind === 'header') redacted.headers[step.name.toLowerCase()] = REDACTED
    else redacted.query[step.name] = REDACTED
  }
  return { delivery: { ...delivery, ...redacted }, found, values }
}

function withHints(text: string): string {
  const edits = findKeysEscaped(text).map(({ start, end, hint }) => ({ start, end, text: hint }))
  return edits.length > 0 ? edited(text, edits) : text
}

/** A byte for each character, so that keys are found whatever the encoding. */
function base64(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  const edits = findKeysEscaped(text).map(({ start, end, hint }) => ({
    start,
    end,
    text: Buffer.from(hint).toString('latin1'),
  }))
  return Buffer.from(edited(text, edits), 'latin1').toString('base64')
}

function decoded(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return null
  }
}

function shortHeader(header: string): string {
  return hideKeys(header).slice(0, CONTENT_TYPE_LENGTH_MAX).toWellFormed()
}
