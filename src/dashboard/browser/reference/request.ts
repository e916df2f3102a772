import { filledAddress, type SentRequest, shellLine } from './curl.ts'

/** The request that a form stands for as it is filled in. */
export function filledRequest(form: HTMLFormElement): SentRequest {
  const { method = '', path = '' } = form.dataset
  const body = form.querySelector('textarea')?.value.trim() ?? ''
  const address = filledAddress(path, valuesOf(form, 'path'), valuesOf(form, 'query'))
  return { method, url: location.origin + address, body }
}

export function showCurl(form: HTMLFormElement): void {
  const curl = shellLine(filledRequest(form))
  const code = form.querySelector('pre code')
  if (code) code.textContent = curl
  const button = form.querySelector<HTMLButtonElement>('[data-copy]')
  if (button) button.dataset.copy = curl
}

function valuesOf(form: HTMLFormElement, place: string): Record<string, string> {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>(`[data-in="${place}"]`)
  return Object.fromEntries([...fields].map(({ name, value }) => [name, value]))
}
