import { CodeBlock } from '../parts/code-block.tsx'
import type { Tried } from './findings.tsx'
import { valueAt } from './value-at.ts'

const RECORD_LENGTH_MAX = 100_000
const VALUE_LENGTH_MAX = 200

export function Values({
  result: { mapped, provenance },
  unused,
}: Pick<Tried, 'result' | 'unused'>) {
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

/** The elements of an array share a name: `items[].colour`. */
function isUnused(field: string, unused: string[]): boolean {
  const name = field.replaceAll(/\[\d+\]/g, '[]')
  return unused.some(
    (each) => name === each || name.startsWith(`${each}.`) || name.startsWith(`${each}[`),
  )
}

export function Record({ mapped }: Pick<Tried['result'], 'mapped'>) {
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
