import type { PropsWithChildren } from 'hono/jsx'

/** Code that may be larger than its place: the keyboard can scroll it. */
export function CodeBlock({ children }: PropsWithChildren) {
  return (
    <pre tabindex={0}>
      <code>{children}</code>
    </pre>
  )
}
