/** Of an order. Its dot says whether it is still open, done or cancelled. */
export function Status({ status }: { status: string }) {
  return <span class={`status order-${status}`}>{status}</span>
}
