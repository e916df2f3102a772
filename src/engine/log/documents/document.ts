import { findKeysEscaped } from '../../identity/escaped-keys.ts'
import { hideKeys } from '../../identity/key.ts'
import { type Path, readPath } from '../../json/path.ts'
import { SentValue, type SentWith } from '../../json/sent-with.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { type RulesOfAnswer, redactAnswer, redactDeliveryAnswer } from '../../redaction/answer.ts'
import { redactBody, utf8Text } from '../../redaction/body.ts'
import { REDACTED } from '../../redaction/messages.ts'
import { edited } from '../../redaction/places.ts'

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
 * The document without the places that `redact` names, and with hints for API keys. Null if there are such paths, and the
 * places cannot be found in the body (`redactBody`). The mapping's rules tell which parts of the answer come from these places.
 */
export function documentOf(
  sent: SentBody,
  redact: readonly string[],
  rules: RulesOfAnswer,
): KeptDocument | null {
  if (redact.length > 0) return redactedDocument(sent, redact, rules)
  const { answer, delivery = null, content_type } = sent
  const whole = { answer, paths: [], delivery }
  return { content_type: shortHeader(content_type), ...kept(utf8Text(sent.body), sent, whole) }
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
function redactedDocument(
  sent: SentBody,
  redact: readonly string[],
  rules: RulesOfAnswer,
): KeptDocument | null {
  const { answer, delivery = null } = sent
  const paths = redact.map(readPath)
  const body = redactBody(sent.body, sent.content_type, paths, rules.inbound ?? {})
  if (!body) return null
  const beside = delivery && redactedBeside(delivery, paths)
  const quotes = body.quotesWith(beside?.values ?? [])
  const found = new Set<Path>([...body.found, ...(beside?.found ?? [])])
  const redacted = { paths, quotes }
  const told = delivery
    ? (text: string) => redactDeliveryAnswer(text, redacted, rules, delivery)
    : (text: string) => redactAnswer(text, redacted, rules)
  return {
    content_type: shortHeader(body.content_type),
    ...kept(body.text, sent, {
      answer: answer && told(answer),
      paths: redact.filter((_, at) => found.has(paths[at] ?? [])),
      delivery: beside?.delivery ?? null,
    }),
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

function shortHeader(header: string | null): string | null {
  return header && hideKeys(header).slice(0, CONTENT_TYPE_LENGTH_MAX).toWellFormed()
}
