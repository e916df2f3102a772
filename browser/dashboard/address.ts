/**
 * What is shown once answers a form. The address becomes that of the page it leads to, so that a
 * reload goes there and does not send the form again.
 */
export function keepAddress(): void {
  const address = document.querySelector<HTMLElement>('[data-address]')?.dataset.address
  if (address) history.replaceState(null, '', address)
}
