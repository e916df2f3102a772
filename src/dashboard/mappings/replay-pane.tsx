import type { OutcomeChange, Replayed } from '../../settings/mappings/replay/replay.ts'
import { NAMES } from '../documents/form.ts'
import { count } from '../parts/numbers.ts'
import { type MappingPlace, requestPath } from '../paths.ts'
import { Faults } from './findings.tsx'
import type { Replay } from './replay.ts'

// In the order of the list.
const KINDS: Record<OutcomeChange, string> = {
  newly_failing: 'would be refused, and is accepted by the saved mapping',
  changed: 'would change',
  newly_passing: 'would be accepted, and is refused by the saved mapping',
}

interface ReplayPaneProps {
  place: MappingPlace
  /** Null if the mapping was not tried. */
  replay: Replay | null
}

/** What the mapping in the form makes of kept documents. The script replaces its contents, and focuses it. */
export function ReplayPane({ place, replay }: ReplayPaneProps) {
  return (
    <section
      id="replay"
      class="replay"
      aria-label="Tried on kept documents"
      tabindex={-1}
      hidden={replay === null}
    >
      {replay?.state === 'faulty' && (
        <>
          <p class="verdict bad">The mapping cannot be tried: it is not valid.</p>
          <Faults faults={replay.faults} />
        </>
      )}
      {replay?.state === 'tried' && <Tried place={place} {...replay} />}
    </section>
  )
}

type TriedProps = Omit<Extract<Replay, { state: 'tried' }>, 'state'> & { place: MappingPlace }

function Tried({ place, result, kept }: TriedProps) {
  const { documents, unreadable, truncated, examples, others } = result
  if (documents + unreadable === 0) return <NoDocuments place={place} kept={kept} />
  return (
    <>
      <p class={`verdict ${result.newly_failing > 0 ? 'bad' : 'good'}`}>{verdictOf(result)}</p>
      <p data-outdated hidden>
        The rules have changed since. Try again.
      </p>
      <Tallies result={result} />
      {truncated && (
        <p>
          There was no time for all of them: these are the newest {count(documents + unreadable)}.
        </p>
      )}
      {kept === 'errors' && (
        <p>
          Only documents of failed requests are kept. This does not show what a change does to those
          that are accepted.
        </p>
      )}
      {examples.length > 0 && (
        <ul class="examples">
          {(Object.keys(KINDS) as OutcomeChange[]).flatMap((kind) =>
            examples.filter((example) => example.kind === kind).map(Example),
          )}
        </ul>
      )}
      {(Object.keys(KINDS) as OutcomeChange[]).map((kind) => (
        <Others kind={kind} others={others.filter((other) => other.kind === kind)} />
      ))}
    </>
  )
}

interface OthersProps {
  kind: OutcomeChange
  others: Replayed['others']
}

/** The documents beside the examples, so that none is missed. */
function Others({ kind, others }: OthersProps) {
  if (others.length === 0) return null
  return (
    <details class="others">
      <summary>{`${count(others.length)} more ${KINDS[kind]}`}</summary>
      <p>
        {others.map(({ request_id }) => (
          <>
            <a href={requestPath(request_id)} target="_blank" rel="noopener">
              <span class="for-reader">Request </span>
              {request_id.slice(-8)}
            </a>{' '}
          </>
        ))}
      </p>
    </details>
  )
}

function verdictOf({ documents, same, newly_failing, newly_passing }: Replayed): string {
  if (documents === 0) return 'None of the kept documents can be read.'
  const parts = [
    [newly_passing, 'more would be accepted'],
    [newly_failing, 'more would be refused'],
  ] as const
  const known = parts.flatMap(([number, what]) => (number > 0 ? `${count(number)} ${what}` : []))
  const others = same === documents ? 'nothing changes' : `${count(documents - same)} would change`
  const tried = documents === 1 ? '1 document' : `${count(documents)} documents`
  return `${tried}: ${known.join(', ') || others}.`
}

function Tallies({ result }: { result: Replayed }) {
  const rows = [
    ['Same', result.same],
    ['Changed', result.changed],
    ['Newly refused', result.newly_failing],
    ['Newly accepted', result.newly_passing],
    ['Not readable', result.unreadable],
  ] as const
  return (
    <dl class="tallies">
      {rows.map(([name, number]) => (
        <div>
          <dt>{name}</dt>
          <dd>{count(number)}</dd>
        </div>
      ))}
    </dl>
  )
}

// The link opens another tab: this one has rules that are not saved.
function Example({ request_id, kind, differences, faults }: Replayed['examples'][number]) {
  const isRefusedTwice = faults.before.length > 0 && faults.after.length > 0
  return (
    <li>
      <a href={requestPath(request_id)} target="_blank" rel="noopener">
        Request {request_id.slice(-8)}
      </a>{' '}
      {isRefusedTwice ? 'would be refused for another reason' : KINDS[kind]}
      <ul>
        {differences.map(({ at, before, after }) => (
          <li>
            <code>{at}</code>: <Value text={before} /> becomes <Value text={after} />
          </li>
        ))}
        {faults.before.map((fault) => (
          <li>Saved mapping: {fault}</li>
        ))}
        {faults.after.map((fault) => (
          <li>These rules: {fault}</li>
        ))}
      </ul>
    </li>
  )
}

function Value({ text }: { text: string | null }) {
  return text === null ? 'no value' : <code>{text}</code>
}

function NoDocuments({ place: { partnerId, resource }, kept }: Omit<TriedProps, 'result'>) {
  return (
    <>
      <p class="verdict">There is no kept document of {resource} to try the rules on.</p>
      {kept === null ? (
        <p>
          Documents of this partner are not kept.{' '}
          <a
            href={`/dashboard/partners/${encodeURIComponent(partnerId)}/#${NAMES.of}`}
            target="_blank"
            rel="noopener"
          >
            Switch it on
          </a>
          , and from then on you can try rules on what really comes in.
        </p>
      ) : (
        <p>
          {kept === 'errors'
            ? 'Documents of failed requests are kept, and none has come in yet or they have expired.'
            : 'Documents are kept, and none has come in yet or they have expired.'}
        </p>
      )}
    </>
  )
}
