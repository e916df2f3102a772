/** Whether a product or a location is active. */
export function Active({ isActive }: { isActive: boolean }) {
  return (
    <span class={`status ${isActive ? 'active' : 'inactive'}`}>
      {isActive ? 'active' : 'inactive'}
    </span>
  )
}
