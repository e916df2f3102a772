import { UNITS_MAX } from '../../engine/mapping/item-code.ts'
import type { UnknownCode } from '../../requests/deliveries/unknown-codes.ts'
import { CODE_WORDS } from '../../settings/item-codes/kind.ts'
import type { CodeTable } from '../../settings/item-codes/statements.ts'
import { DataTable } from '../parts/data-table.tsx'
import { count } from '../parts/numbers.ts'
import { deliveriesPath, itemCodesPath } from '../paths.ts'

interface UnknownCodesProps {
  table: CodeTable
  codes: UnknownCode[]
  mayWrite: boolean
}

/** Codes that the partner has sent, each with a form that says what it stands for. */
export function UnknownCodes({ table, codes, mayWrite }: UnknownCodesProps) {
  if (codes.length === 0) return null
  return (
    <section>
      <h2>Unknown codes</h2>
      <DataTable
        rows={codes}
        columns={[
          ['Their code', ({ code }) => code, 'free'],
          [
            'Waiting',
            ({ code, waiting }) => <Waiting table={table} code={code} records={waiting} />,
          ],
          ['Refused in 7 days', ({ refused }) => (refused === 0 ? '—' : count(refused))],
        ]}
        actions={mayWrite ? ({ code }) => <Entry table={table} code={code} /> : undefined}
        look="waiting"
      />
    </section>
  )
}

function Waiting({ table, code, records }: { table: CodeTable; code: string; records: number }) {
  if (records === 0) return <>—</>
  const needs = table.kind === 'products' ? 'product_code' : 'location_code'
  return (
    <a href={deliveriesPath({ needs, needs_code: code, partner_id: table.partnerId })}>
      {records === 1 ? '1 record' : `${count(records)} records`}
    </a>
  )
}

function Entry({ table, code }: { table: CodeTable; code: string }) {
  const { one, field, hasUnits } = CODE_WORDS[table.kind]
  const ours = one === 'product' ? 'SKU' : 'location'
  return (
    <form method="post" action={itemCodesPath(table)} class="entry">
      <input type="hidden" name="code" value={code} />
      <input
        name={field}
        aria-label={`Our ${ours} for ${code}`}
        placeholder={`Our ${ours}`}
        autocomplete="off"
        spellcheck={false}
        required
      />
      {hasUnits && (
        <label title="How many of our pieces one of theirs is">
          Units
          <input
            name="units"
            type="number"
            min={1}
            max={UNITS_MAX}
            value="1"
            aria-label={`Units of ${code}`}
            required
          />
        </label>
      )}
      <button type="submit">
        Save <span class="for-reader">{code}</span>
      </button>
    </form>
  )
}
