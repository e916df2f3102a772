import type { Mapping } from '../../mapping/schema.ts'
import { Empty } from '../page.tsx'
import { Records } from '../records.tsx'
import { type Direction, type DraftRules, draftOfMapping, readCell } from './draft.ts'
import { KIND_NAMES, WORDS } from './rules.tsx'

/** A mapping for who may read it and no more; null where there is none. */
export function SavedMapping({ mapping }: { mapping: Mapping | null }) {
  if (!mapping) return <Empty text="There is no mapping: documents are taken as they are sent." />
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
              <td data-label="Kind">{KIND_NAMES[row.kind]}</td>
            </tr>
          ))}
        </Records>
      )}
    </>
  )
}
