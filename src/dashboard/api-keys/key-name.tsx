/** The header cell of a key's row. */
export function KeyName({
  name,
  hint,
  href,
}: {
  name: string
  hint: string
  href?: string | undefined
}) {
  return (
    <th scope="row" data-label="Name">
      {href === undefined ? name : <a href={href}>{name}</a>}
      <br />
      <small>
        <code>{hint}</code>
      </small>
    </th>
  )
}
