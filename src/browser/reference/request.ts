import { addressOf, curlOf, type Sent } from './curl.ts'

/** The request that a form stands for as it is filled in. */
export function requestOf(form: HTMLFormElement): Sent {
  const { method = '', path = '' } = form.dataset
  const body = form.querySelector('textarea')?.value.trim() ?? ''
  const address = addressOf(path, valuesOf(form, 'path'), valuesOf(form, 'query'))
  return { method, url: location.origin + address, body }
}

export function showCurl(form: HTMLFormElement): void {
  const curl = curlOf(requestOf(form))
  const code = form.querySelector('pre code')
  if (code) code.textContent = curl
  const button = form.querySelector<HTMLButtonElement>('[data-copy]')
  if (button) button.dataset.copy = curl
}

function valuesOf(form: HTMLFormElement, place: string): Record<string, string> {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>(`[data-in="${place}"]`)
  return Object.fromEntries([...fields].map(({ name, value }) => [name, value]))
}
