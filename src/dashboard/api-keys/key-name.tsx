/** The cell that heads the row of a key. */
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
