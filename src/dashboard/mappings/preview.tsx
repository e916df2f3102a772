import { Errors, Faults, Problems, type Tried, Warnings } from './findings.tsx'
import { Record, Values } from './record.tsx'
import type { Trial } from './trial.ts'
import { verdictOf } from './verdict.ts'

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

function Findings({ at, result, warnings, remedies, unused }: Tried & { at: string }) {
  return (
    <>
      <Problems at={at} problems={result.problems} remedies={remedies} />
      <Errors at={at} errors={result.errors} remedies={remedies} />
      <Warnings warnings={warnings} />
      <Values result={result} unused={unused} />
      <Record mapped={result.mapped} />
    </>
  )
}
