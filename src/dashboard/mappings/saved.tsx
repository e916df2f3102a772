import type { Mapping } from '../../engine/mapping/schema.ts'
import { Empty } from '../parts/empty.tsx'
import { Records } from '../parts/records.tsx'
import { readCell } from './cell.ts'
import type { Direction, DraftRules, Row } from './draft.ts'
import { draftOfMapping } from './saved-draft.ts'
import { CONVERSION_NAMES, KIND_NAMES, WORDS } from './words.ts'

/** The read-only view of a mapping; null if there is none. */
export function SavedMapping({ mapping }: { mapping: Mapping | null }) {
  if (!mapping) return <Empty text="There is no mapping: documents are read as they are sent." />
  const { identifier_field, inbound, outbound } = draftOfMapping(mapping)
  return (
    <>
      <p>Identifier: {identifier_field ? <code>{identifier_field}</code> : 'the default'}</p>
      <h2>Inbound: their document to our record</h2>
      <SavedRules direction="inbound" rules={inbound} />
      <h2>Outbound: our record to theirs</h2>
      <SavedRules direction="outbound" rules={outbound} />
    </>
  )
}

function SavedRules({ direction, rules }: { direction: Direction; rules: DraftRules }) {
  const { subject, modes, target, source } = WORDS[direction]
  const mode = modes.find(([value]) => value === rules.unmapped)?.[1]
  return (
    <>
      <p>
        {subject}: {mode}.
        {rules.none !== '' && (
          <>
            {' '}
            No value: <code>{rules.none}</code>
          </>
        )}
        {rules.single_as_list !== '' && ' A single value is a list of one.'}
        {rules.each !== '' && (
          <>
            {' '}
            A record for each <code>{rules.each}</code>
            {rules.group_by !== '' && (
              <>
                {' '}
                with the same <code>{rules.group_by.replaceAll('\n', ', ')}</code>
              </>
            )}
            .
          </>
        )}
        {rules.formats !== '' && (
          <>
            {' '}
            Other bodies: <code>{rules.formats.replaceAll('\n', ', ')}</code>.
          </>
        )}
        {rules.first !== '' && ' An index may read the first of several records.'}
      </p>
      {rules.rows.length > 0 && (
        <Records columns={[target, `${source}, or fixed value`, 'Kind']}>
          {rules.rows.map((row) => (
            <tr>
              <th scope="row">
                <code>{readCell(row.target)}</code>
              </th>
              <td data-label={row.kind === 'value' ? 'Value' : source}>
                <code>{row.source}</code>
              </td>
              <td data-label="Kind">
                {KIND_NAMES[row.kind]}
                {row.as !== '' && `, ${CONVERSION_NAMES[row.as]}`}
                <Steps row={row} />
              </td>
            </tr>
          ))}
        </Records>
      )}
    </>
  )
}

function Steps({ row }: { row: Row }) {
  const steps = [
    ['Between the texts', row.with],
    ['No value', row.none],
    ['Part of the text', row.text],
    ['Values', row.values],
    ['Format', row.format],
    ['Zone', row.zone],
    ['Amount', row.amount],
    ['Without a value', row.default],
  ].filter(([, text]) => text !== '')
  return steps.map(([name, text]) => (
    <div class="step">
      {name}: <code>{text}</code>
    </div>
  ))
}
