import type { JsonObject } from '../../engine/json/json-object.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { Fact, Facts } from './facts.tsx'
import { factsInside, JSON_LENGTH_MAX, type ObjectFact } from './object.ts'

interface ObjectProps {
  title: string
  value: JsonObject | null
}

/** A free object of a record, such as its metadata. */
export function ObjectSection({ title, value }: ObjectProps) {
  const { facts, isCut } = factsInside(value ?? {})
  return (
    <section>
      <h2>{title}</h2>
      {facts.length === 0 ? <p class="nothing">None.</p> : <ObjectFacts facts={facts} />}
      {isCut && (
        <p class="nothing">
          This is its beginning. The API call under “For developers” reads it as a whole.
        </p>
      )}
    </section>
  )
}

function ObjectFacts({ facts }: { facts: ObjectFact[] }) {
  return (
    <Facts>
      {facts.map((fact) =>
        'text' in fact ? (
          <Fact {...fact} />
        ) : (
          <div class="group">
            <dt>{fact.name}</dt>
            <dd>
              <ObjectFacts facts={fact.inside} />
            </dd>
          </div>
        ),
      )}
    </Facts>
  )
}

/** The same object as the API has it; nothing for one without members. */
export function ObjectAsJson({ title, value }: ObjectProps) {
  const text = JSON.stringify(value ?? {}, null, 2)
  return text === '{}' ? null : (
    <>
      <p>{title} as JSON</p>
      <CodeBlock>{text.slice(0, JSON_LENGTH_MAX).toWellFormed()}</CodeBlock>
    </>
  )
}
