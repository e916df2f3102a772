import type { PropsWithChildren } from 'hono/jsx'

/** The fields of a record. */
export function Facts({ children }: PropsWithChildren) {
  return <dl class="record">{children}</dl>
}

interface FactProps {
  name: string
  /** A text, unless the fact has children. Null and no children is shown as a dash. */
  text?: string | number | null
}

export function Fact({ name, text = null, children }: PropsWithChildren<FactProps>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? text ?? '—'}</dd>
    </div>
  )
}
