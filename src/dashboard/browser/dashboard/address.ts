/**
 * A page that answers a form POST names another page in `data-address`. The address bar shows that one,
 * so that a reload opens it and does not send the form again.
 */
export function keepAddress(): void {
  const address = document.querySelector<HTMLElement>('[data-address]')?.dataset.address
  if (address) history.replaceState(null, '', address)
}
