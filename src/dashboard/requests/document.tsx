import { ApiError } from '../../engine/errors.ts'
import { isOtherFormat, textOfBody } from '../../engine/formats/format.ts'
import { isOfSentWith } from '../../engine/json/sent-with.ts'
import type { FoundDocument } from '../../engine/log/documents/read.ts'
import { writeSentLines } from '../documents/sent-lines.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { Time } from '../parts/time.tsx'
import type { Fault } from './faults.ts'
import { markedParts, type Part } from './marks.ts'
import { pretty } from './pretty.ts'

/** The partner's document, with each fault at its place. */
export function MarkedDocument({ kept, faults }: { kept: FoundDocument; faults: Fault[] }) {
  const text = decodedText(kept)
  return (
    <section class="document">
      <h2>The partner's document</h2>
      <p class="nothing">
        Kept until <Time at={kept.kept_until} />.
        {kept.redacted.length > 0 && ` Redacted: ${kept.redacted.join(', ')}.`}
        {text === null && ' It is not UTF-8; this is base64.'}
      </p>
      <MarkedText text={text ?? kept.body} type={kept.content_type} faults={faults} />
      <Beside kept={kept} />
    </section>
  )
}

interface MarkedTextProps {
  text: string
  /** Its Content-Type. */
  type: string | null
  faults: Fault[]
}

/** A text with each fault at its place. Above it are those that have none. */
export function MarkedText({ text, type, faults }: MarkedTextProps) {
  const { parts, unplaced } = markedParts(text, faults, type)
  return (
    <>
      <FaultList faults={unplaced} />
      <CodeBlock>
        {parts.map((part) => (
          <MarkedPart part={part} />
        ))}
      </CodeBlock>
    </>
  )
}

/** What came beside the body of a delivery, as far as its mapping may read it. */
function Beside({ kept: { delivery } }: { kept: FoundDocument }) {
  const lines = delivery ? writeSentLines(delivery) : ''
  return lines === '' ? null : <CodeBlock>{lines}</CodeBlock>
}

/** The answer as it was sent. */
export function KeptAnswer({ kept: { answer } }: { kept: FoundDocument }) {
  return (
    <section class="document">
      <h2>The answer</h2>
      {answer.body === null ? (
        <p class="nothing">
          Status {answer.status}. The answer was not kept: it has more than 1 MB.
        </p>
      ) : (
        <CodeBlock>{shortened(pretty(answer.body))}</CodeBlock>
      )}
    </section>
  )
}

function shortened(text: string): string {
  const { parts } = markedParts(text, [])
  return parts.map((part) => part.text).join('')
}

/** What is wrong, where there is no document to mark it in. */
export function FaultList({ faults }: { faults: Fault[] }) {
  return faults.length === 0 ? null : (
    <ul class="findings bad">
      {faults.map(({ at, messages }) => (
        <li>
          <code>{at}</code> {messages.join(' ')}
          {isOfSentWith(at) && ' It came beside the document, so it has no mark in it.'}
        </li>
      ))}
    </ul>
  )
}

function MarkedPart({ part: { text, faults } }: { part: Part }) {
  if (faults.length === 0) return <>{text}</>
  return (
    <>
      <mark>{text}</mark>
      <span class="fault" role="note">
        {faults.flatMap(({ messages }) => messages).join(' ')}
      </span>
    </>
  )
}

/** In the charset that its sender named; null if it cannot be read in that. */
function decodedText({ body, encoding, content_type }: FoundDocument): string | null {
  if (encoding !== 'base64') return pretty(body)
  if (!isOtherFormat(content_type)) return null
  try {
    return textOfBody(Buffer.from(body, 'base64'), content_type).text
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
