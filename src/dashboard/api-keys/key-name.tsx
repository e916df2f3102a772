/** The header cell of a key's row. */
export function KeyName({ name, hint }: { name: string; hint: string }) {
  return (
    <th scope="row" data-label="Name">
      {name}
      <br />
      <small>
        <code>{hint}</code>
      </small>
    </th>
  )
}
