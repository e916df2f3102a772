import { problemMessage } from '../../engine/mapping/problem.ts'
import type { Hint, Remedy } from './remedy.ts'
import type { Trial } from './trial.ts'

export type Tried = Extract<Trial, { state: 'tried' }>

/** Why a mapping cannot be saved, by rule. */
export function Faults({ faults }: { faults: Record<string, string[]> }) {
  return (
    <ul class="findings bad">
      {Object.entries(faults).map(([name, messages]) => (
        <li>
          <code>{name.replace(/^(inbound|outbound)\.fields\./, '$1 ')}</code> {messages.join(' ')}
        </li>
      ))}
    </ul>
  )
}

interface RemediesProps {
  /** The path of the editor. */
  at: string
  remedies: Tried['remedies']
}

export function Problems({
  at,
  problems,
  remedies,
}: Pick<Tried['result'], 'problems'> & RemediesProps) {
  return problems.length === 0 ? null : (
    <ul class="findings bad">
      {problems.map((problem) => (
        <li>
          <code>{problem.source ?? problem.at}</code> {problemMessage(problem)}{' '}
          <small>
            {problem.reason}
            {problem.rule !== undefined && (
              <>
                , rule <code>{problem.rule}</code>
              </>
            )}
          </small>
          <Remedies at={at} remedies={remedies.get(problem)} />
        </li>
      ))}
    </ul>
  )
}

export function Errors({ at, errors, remedies }: Pick<Tried['result'], 'errors'> & RemediesProps) {
  return errors.length === 0 ? null : (
    <ul class="findings bad">
      {errors.map((error) => (
        <ErrorItem error={error} at={at} remedies={remedies} />
      ))}
    </ul>
  )
}

type ErrorProps = { error: Tried['result']['errors'][number] } & RemediesProps

function ErrorItem({ error, at, remedies }: ErrorProps) {
  const { field, messages, source } = error
  return (
    <li>
      <code>{field}</code> {messages.join(' ')}
      {source !== null && source !== field && (
        <small>
          {' '}
          from <code>{source}</code>
        </small>
      )}
      <Remedies at={at} remedies={remedies.get(error)} />
    </li>
  )
}

/** Each button previews again with one rule changed. The script changes the rule in the form itself. */
function Remedies({ at, remedies = [] }: { at: string; remedies: (Remedy | Hint)[] | undefined }) {
  return remedies.length === 0 ? null : (
    <div class="remedies">
      {remedies.map((remedy) =>
        'cells' in remedy ? (
          <button
            type="submit"
            class="outline"
            name="remedy"
            value={JSON.stringify(remedy.cells)}
            formaction={`${at}preview/`}
            data-remedy
          >
            {remedy.label}
          </button>
        ) : (
          <HintText {...remedy} />
        ),
      )}
    </div>
  )
}

// The link opens another tab: this one has rules that are not saved.
function HintText({ label, href }: Hint) {
  if (href === null) return <small>{label}</small>
  return (
    <a href={href} target="_blank" rel="noopener">
      {label}
    </a>
  )
}

export function Warnings({ warnings }: Pick<Tried, 'warnings'>) {
  return warnings.length === 0 ? null : (
    <details class="findings" open={warnings.length <= 5}>
      <summary>{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</summary>
      <ul>
        {warnings.map(({ field, message }) => (
          <li>
            <code>{field}</code> {message}
          </li>
        ))}
      </ul>
    </details>
  )
}
