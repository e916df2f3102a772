import type { ApiError } from '../../engine/errors.ts'

interface ExistsLinkProps {
  /** What the record is, in a word. */
  one: string
  name: string
  href: string | undefined
}

/** Leads from the form that cannot create a record to the one that has its name. */
export function ExistsLink({ one, name, href }: ExistsLinkProps) {
  return href === undefined ? null : (
    <p>
      There is the {one} <a href={href}>{name}</a>.
    </p>
  )
}

/** Whether the form was refused because another record has the name. */
export function isDuplicate(error: ApiError | null): boolean {
  return error?.code === 'DUPLICATE'
}
