import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import type { NeedLine } from './need-line.ts'

interface NeedsProps {
  lines: NeedLine[]
  /** In ISO 8601, when it was looked at. */
  readAt: string
}

/** What needs a person, the most urgent first. */
export function Needs({ lines, readAt }: NeedsProps) {
  if (lines.length === 0) {
    return (
      <section>
        <h2>Nothing needs you</h2>
        <p class="nothing">
          Looked at <Time at={readAt} seconds />.
        </p>
      </section>
    )
  }
  return (
    <section>
      <h2>Needs you</h2>
      <ul class="needs">
        {lines.map((line) => (
          <Line line={line} />
        ))}
      </ul>
    </section>
  )
}

function Line({ line: { number, text, time, action } }: { line: NeedLine }) {
  return (
    <li>
      <p>
        <strong>{number}</strong> {text}
        {time && (
          <small>
            {' '}
            {time.words} <Time at={time.at} />
          </small>
        )}
      </p>
      {action && <RowLink {...action} />}
    </li>
  )
}
