import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import { capitalized } from '../../engine/model/record.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { count } from '../parts/numbers.ts'
import { Counts } from '../parts/tally.tsx'
import { listPath, type MappingPlace, requestPath } from '../paths.ts'
import { type Fault, faultsOf } from '../requests/faults.ts'
import type { FileAnswer } from './send-file.ts'

/** So many refused rows or records are shown. */
const REFUSED_SHOWN = 100
const ANSWER_LENGTH_MAX = 20_000
const COUNTED = ['total', 'created', 'updated', 'unchanged', 'skipped', 'failed', 'not_tried']

/** What a file would do, or has done. */
export function FileResult({ place, answer }: { place: MappingPlace; answer: FileAnswer }) {
  const { step, status, request_id, body } = answer
  const data = isObject(body?.data) ? body.data : {}
  const isTaken = status < 300
  return (
    <section aria-label="Result">
      <p class={`verdict ${isTaken ? 'good' : 'bad'}`} role="status">
        {isTaken ? (step === 'check' ? WOULD : DID) : `It is refused: ${messageOf(body)}`}
      </p>
      {isTaken && <Counted data={data} />}
      <Refused faults={faultsIn(isTaken ? data : body)} />
      {step === 'send' && (
        <p>
          <a href={requestPath(request_id)}>Its request in the audit log</a>
          {', '}
          <a href={listPath(place.resource)}>{place.resource}</a>
        </p>
      )}
      <details>
        <summary>The whole answer</summary>
        <CodeBlock>
          {body === null ? TOO_LONG : JSON.stringify(body, null, 2).slice(0, ANSWER_LENGTH_MAX)}
        </CodeBlock>
      </details>
    </section>
  )
}

const WOULD = 'It would be taken. Nothing has changed yet.'
const DID = 'It has been taken.'
const TOO_LONG = 'The answer is too long to be shown.'

function messageOf(body: JsonObject | null): string {
  const error = isObject(body?.error) ? body.error : {}
  return typeof error.message === 'string' ? error.message : TOO_LONG
}

function Counted({ data }: { data: JsonObject }) {
  const counts = COUNTED.flatMap((name) => {
    const found = data[name]
    return typeof found === 'number' ? [[capitalized(name.replace('_', ' ')), found] as const] : []
  })
  return counts.length === 0 ? null : <Counts counts={counts} />
}

/** What is refused: rows of an upload, records of several, or the request. */
function faultsIn(answer: JsonObject | null): Fault[] {
  const { errors, results, error } = answer ?? {}
  const records = Array.isArray(results) ? results.filter(isObject) : []
  return [...faultsOf({ errors }), ...[{ error }, ...records].flatMap(faultsOfAnswered)]
}

/** Without places, the message is about the record as a whole. */
function faultsOfAnswered({ error, record }: JsonObject): Fault[] {
  if (!isObject(error)) return []
  const faults = faultsOf(error)
  return faults.length > 0
    ? faults
    : [{ at: String(record ?? ''), messages: [String(error.message)] }]
}

function Refused({ faults }: { faults: Fault[] }) {
  if (faults.length === 0) return null
  return (
    <>
      <DataTable
        rows={faults.slice(0, REFUSED_SHOWN)}
        columns={[
          ['Where', ({ at }) => at],
          ['Why', ({ messages }) => messages.join(' ')],
        ]}
      />
      {faults.length > REFUSED_SHOWN && (
        <p class="nothing">{`${count(faults.length - REFUSED_SHOWN)} more places are not shown.`}</p>
      )}
    </>
  )
}
