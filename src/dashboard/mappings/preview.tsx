import { problemMessage } from '../../mapping/problem.ts'
import { readPath } from '../../path.ts'
import type { Trial } from './trial.ts'

const RECORD_LENGTH_MAX = 100_000
const VALUE_LENGTH_MAX = 200

type Tried = Extract<Trial, { state: 'tried' }>
type Tone = 'good' | 'bad' | 'none'

/**
 * What became of the document. The script keeps the two parts and exchanges what is in them, so that
 * only a new verdict is read out.
 */
export function PreviewPane({ trial }: { trial: Trial }) {
  const [tone, verdict] = verdictOf(trial)
  return (
    <section id="preview" class="preview" aria-label="Our record">
      <p id="verdict" class={`verdict ${tone}`} data-verdict aria-live="polite">
        {verdict}
      </p>
      <div data-findings>
        {trial.state === 'none' && <Explanation />}
        {trial.state === 'faulty' && <Faults faults={trial.faults} />}
        {trial.state === 'tried' && <Findings {...trial} />}
      </div>
    </section>
  )
}

function verdictOf(trial: Trial): [Tone, string] {
  if (trial.state === 'none') return ['none', 'Nothing to try the rules on yet.']
  if (trial.state === 'unreadable') return ['bad', `The document cannot be read. ${trial.fault}`]
  if (trial.state === 'faulty') return ['bad', 'The mapping cannot be saved yet.']
  const { problems, errors } = trial.result
  if (problems.length > 0) {
    return ['bad', 'This document would be refused: the mapping does not fit it.']
  }
  if (errors.length === 0) return ['good', 'This document would be accepted.']
  const isRows = errors.every(({ field }) => field.startsWith('inventory['))
  return isRows
    ? ['bad', 'Rows of this document would be refused; the others are taken.']
    : ['bad', 'This document would be refused: the record is not valid.']
}

function Explanation() {
  return (
    <p>
      Paste a document as the partner sends it. Here you see the record that the rules make of it,
      where each value comes from, and what would be refused. Nothing is saved or written.
    </p>
  )
}

/** What keeps a mapping from being saved, by rule. */
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

function Findings({ result, warnings }: Tried) {
  return (
    <>
      <Problems problems={result.problems} />
      <Errors errors={result.errors} />
      <Warnings warnings={warnings} />
      <Values result={result} />
      <Record mapped={result.mapped} />
    </>
  )
}

function Problems({ problems }: Pick<Tried['result'], 'problems'>) {
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
        </li>
      ))}
    </ul>
  )
}

function Errors({ errors }: Pick<Tried['result'], 'errors'>) {
  return errors.length === 0 ? null : (
    <ul class="findings bad">
      {errors.map(({ field, messages, source }) => (
        <li>
          <code>{field}</code> {messages.join(' ')}
          {source !== null && source !== field && (
            <small>
              {' '}
              from <code>{source}</code>
            </small>
          )}
        </li>
      ))}
    </ul>
  )
}

function Warnings({ warnings }: Pick<Tried, 'warnings'>) {
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

function Values({ result: { mapped, provenance } }: Pick<Tried, 'result'>) {
  const rows = mapped === null ? [] : Object.entries(provenance)
  return rows.length === 0 ? null : (
    <table class="values">
      <thead>
        <tr>
          <th scope="col">Our field</th>
          <th scope="col">Value</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([field, source]) => (
          <tr>
            <th scope="row">
              <code>{field}</code>
            </th>
            <td>{shorten(JSON.stringify(valueAt(mapped, field)), VALUE_LENGTH_MAX)}</td>
            <td>{source === null ? <small>fixed</small> : <code>{source}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Record({ mapped }: Pick<Tried['result'], 'mapped'>) {
  return mapped === null ? null : (
    <details class="record" data-keep="record">
      <summary>The record as JSON</summary>
      <pre>
        <code>{shorten(JSON.stringify(mapped, null, 2), RECORD_LENGTH_MAX)}</code>
      </pre>
    </details>
  )
}

function valueAt(record: unknown, field: string): unknown {
  return readPath(field).reduce<unknown>((value, step) => Reflect.get(Object(value), step), record)
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`
}
