import type { PropsWithChildren } from 'hono/jsx'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { CodeBlock } from '../parts/code-block.tsx'

/** What a page shows of an object, in characters: its memory is bounded. */
export const JSON_LENGTH_MAX = 16_000

/** The fields of a record. */
export function Facts({ children }: PropsWithChildren) {
  return <dl class="record">{children}</dl>
}

interface FactProps {
  name: string
  /** A text, unless the fact has children. Null and no children is shown as a dash. */
  text?: string | number | null
}

export function Fact({ name, text = null, children }: PropsWithChildren<FactProps>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? text ?? '—'}</dd>
    </div>
  )
}

/** A free object of a record, such as its metadata. */
export function JsonSection({ title, value }: { title: string; value: JsonObject | null }) {
  const text = value === null ? '' : JSON.stringify(value, null, 2)
  const isEmpty = text === '' || text === '{}'
  return (
    <section class="document">
      <h2>{title}</h2>
      {isEmpty ? (
        <p class="nothing">None.</p>
      ) : (
        <CodeBlock>{text.slice(0, JSON_LENGTH_MAX)}</CodeBlock>
      )}
      {text.length > JSON_LENGTH_MAX && (
        <p class="nothing">This is its beginning. The API call above reads it as a whole.</p>
      )}
    </section>
  )
}
