import { CodeBlock } from '../parts/code-block.tsx'
import { Errors, Faults, Problems, type Tried, Warnings } from './findings.tsx'
import type { Trial } from './trial.ts'
import { valueAt } from './value-at.ts'

const RECORD_LENGTH_MAX = 100_000
const VALUE_LENGTH_MAX = 200

type Tone = 'good' | 'bad' | 'none'

/**
 * The result of a preview. The script replaces the contents of verdict and findings, so that screen readers
 * announce only a new verdict.
 */
export function PreviewPane({ at, trial }: { at: string; trial: Trial }) {
  const [tone, verdict] = verdictOf(trial)
  return (
    <section id="preview" class="preview" aria-label="Our record">
      <p id="verdict" class={`verdict ${tone}`} data-verdict aria-live="polite">
        {verdict}
      </p>
      <div data-findings>
        {trial.state === 'none' && <Explanation />}
        {trial.state === 'faulty' && <Faults faults={trial.faults} />}
        {trial.state === 'tried' && <Findings at={at} {...trial} />}
      </div>
    </section>
  )
}

function Explanation() {
  return (
    <p>
      Paste a document as the partner sends it. Here you see the record that the rules produce,
      where each value comes from, and what would be refused. Nothing is saved.
    </p>
  )
}

function Findings({ at, result, warnings, remedies, unused, outline }: Tried & { at: string }) {
  const { records } = result
  return (
    <>
      {outline !== undefined && <data value={JSON.stringify(outline)} data-outline hidden />}
      <Problems at={at} problems={result.problems} remedies={remedies} />
      <Errors at={at} errors={result.errors} remedies={remedies} />
      <Warnings warnings={warnings} />
      <Values result={result} unused={unused} />
      <Record mapped={result.mapped} />
      {records?.map((record) => (
        <OneOfSeveral at={at} record={record} isOpen={records.length === 1} remedies={remedies} />
      ))}
    </>
  )
}

interface OneOfSeveralProps {
  at: string
  record: NonNullable<Tried['result']['records']>[number]
  isOpen: boolean
  remedies: Tried['remedies']
}

/** One record of a document with several. */
function OneOfSeveral({ at, record, isOpen, remedies }: OneOfSeveralProps) {
  const { index, would_answer, problems, errors } = record
  const outcome = would_answer.code === null ? 'would be accepted' : 'would be refused'
  return (
    <details class="record" open={isOpen} data-keep={`record ${index}`}>
      <summary>
        Record {index + 1}
        {record.record !== null && `, ${record.record}`}: {outcome}
      </summary>
      <Problems at={at} problems={problems} remedies={remedies} />
      <Errors at={at} errors={errors} remedies={remedies} />
      <Values result={record} unused={[]} />
      <Record mapped={record.mapped} />
    </details>
  )
}

function verdictOf(trial: Trial): [Tone, string] {
  if (trial.state === 'none') return ['none', 'There is no document to try the rules on yet.']
  if (trial.state === 'unreadable') return ['bad', `The document cannot be read. ${trial.fault}`]
  if (trial.state === 'faulty') return ['bad', 'The mapping cannot be saved yet.']
  const { problems, errors, would_answer, records } = trial.result
  if (problems.length > 0) {
    return ['bad', 'This document would be refused: the mapping does not fit it.']
  }
  if (records) return verdictOfSeveral(records, trial.lacked !== undefined)
  if (would_answer.code === 'VALIDATION_ERROR') {
    return ['bad', 'This document would be refused: the record is not valid.']
  }
  if (would_answer.code !== null) {
    return [
      'bad',
      'The mapping fits and can be saved, but this document would be refused as the data stands now.',
    ]
  }
  if (errors.length > 0) {
    return ['bad', 'Some rows of this document would be refused, the others accepted.']
  }
  return trial.lacked === undefined
    ? ['good', 'This document would be accepted.']
    : ['good', 'The record is valid. Whether the data allows it was not looked up.']
}

function verdictOfSeveral(
  records: NonNullable<Tried['result']['records']>,
  isLacking: boolean,
): [Tone, string] {
  const refused = records.filter(({ would_answer }) => would_answer.code !== null).length
  if (records.length === 0) return ['bad', 'This document has no records.']
  if (refused > 0) return ['bad', `Of ${records.length} records, ${refused} would be refused.`]
  return isLacking
    ? ['good', 'All records are valid. Whether the data allows them was not looked up.']
    : ['good', `All ${records.length} records would be accepted.`]
}

interface ValuesProps {
  result: Pick<Tried['result'], 'mapped' | 'provenance'> & { item_codes?: ItemCodes }
  unused: string[]
}

function Values({ result: { mapped, provenance, item_codes = {} }, unused }: ValuesProps) {
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
            <td>
              {shorten(JSON.stringify(valueAt(mapped, field)), VALUE_LENGTH_MAX)}
              <Meaning code={item_codes[field]} />
            </td>
            <td>
              {isUnused(field, unused) && <small>without effect, </small>}
              {source === null ? <small>fixed</small> : <code>{source}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type ItemCodes = NonNullable<Tried['result']['item_codes']>

/** What an item code stands for. */
function Meaning({ code }: { code: ItemCodes[string] | undefined }) {
  if (!code) return null
  const units = code.units === 1 ? '' : `, ${code.units} of them each`
  return <small>{` stands for ${code.record}${units}`}</small>
}

/** The elements of an array share a name: `items[].colour`. */
function isUnused(field: string, unused: string[]): boolean {
  const name = field.replaceAll(/\[\d+\]/g, '[]')
  return unused.some(
    (each) => name === each || name.startsWith(`${each}.`) || name.startsWith(`${each}[`),
  )
}

function Record({ mapped }: Pick<Tried['result'], 'mapped'>) {
  return mapped === null ? null : (
    <details class="record" data-keep="record">
      <summary>The record as JSON</summary>
      <CodeBlock>{shorten(JSON.stringify(mapped, null, 2), RECORD_LENGTH_MAX)}</CodeBlock>
    </details>
  )
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`
}
