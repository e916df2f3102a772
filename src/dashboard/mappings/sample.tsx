import type { Resource } from '../../engine/mapping/identifier.ts'
import { Select } from '../parts/select.tsx'
import { methodsOf, type Sample, type Trial } from './trial.ts'

export interface SampleProps {
  /** The path that saves the form. */
  at: string
  resource: Resource
  sample: Sample
  trial: Trial
}

// Sample documents of partners, shown as placeholders.
const EXAMPLES: Record<Resource, object> = {
  orders: { header: { number: 'A-1001' }, lines: [{ article: { code: 'TEA-01' }, qty: 4 }] },
  products: { article: { code: 'TEA-01' }, stock: { on_hand: 120 }, price: '3.20' },
  locations: { bin: 'D-04/2', label: 'Overflow rack', area: { zone: 'D', aisle: '04' } },
  inventory: { stock: [{ bin: 'D-04/2', article: 'TEA-01', on_hand: 120 }] },
}

export function SampleFields({ at, resource, sample, trial }: SampleProps) {
  const methods = methodsOf(resource).map((method) => [method, methodText(method)] as const)
  const fault = trial.state === 'unreadable' ? trial.fault : null
  return (
    <section class="sample" aria-label="Their document">
      <div class="field">
        <label for="document">
          Try it: paste a document of the partner: JSON, XML, CSV or a form
        </label>
        <textarea
          id="document"
          name="document"
          rows={12}
          spellcheck={false}
          autocomplete="off"
          placeholder={JSON.stringify(EXAMPLES[resource], null, 2)}
          aria-invalid={fault ? 'true' : undefined}
          aria-describedby="verdict"
        >
          {`\n${sample.document}`}
        </textarea>
      </div>
      <details class="beside" open={sample.sent !== ''}>
        <summary>Headers and query of a delivery</summary>
        <div class="field">
          <label for="sent">What comes with the document, a header a line</label>
          <textarea
            id="sent"
            name="sent"
            rows={3}
            spellcheck={false}
            autocomplete="off"
            placeholder={'X-Shop-Domain: keramik.example\n?location=D-04'}
            aria-describedby="sent-how"
          >
            {`\n${sample.sent}`}
          </textarea>
          <small id="sent-how">
            A webhook lists what rules can read as <code>$header['X-Shop-Domain']</code> and{' '}
            <code>$query['location']</code>. Requests with a key have none of it.
          </small>
        </div>
      </details>
      {methods.length > 1 && (
        <Select
          label="Sent as"
          name="method"
          value={sample.method}
          options={methods}
          error={null}
        />
      )}
      <button type="submit" class="secondary" formaction={`${at}preview/`} data-preview-button>
        Preview
      </button>
    </section>
  )
}

function methodText(method: string): string {
  return method === 'POST' ? 'create (POST)' : 'update (PUT)'
}
