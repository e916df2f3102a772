interface RowLinkProps {
  href: string
  /** What is seen. */
  text: string
  /** Whose link it is: rows have links of one name, and screen readers list links without their rows. */
  of: string
}

export function RowLink({ href, text, of }: RowLinkProps) {
  return (
    <a href={href}>
      {text} <span class="for-reader">{of}</span>
    </a>
  )
}
