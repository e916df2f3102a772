/** Finds one request by its id, regardless of the filters. */
export function RequestSearch({ value }: { value: string }) {
  return (
    <search aria-label="Requests">
      <form class="request-search" method="get">
        <input
          type="search"
          name="request_id"
          value={value}
          aria-label="Request id"
          placeholder="Find by request id"
          spellcheck={false}
          required
        />
        <button type="submit">Find</button>
      </form>
    </search>
  )
}
