const SIGNED_OUT = 'You are signed out. Sign in again in another tab, then continue here.'

/**
 * The element with this id of the page that answers the form, or a message why there is none. Rejects if the server
 * does not answer.
 */
export async function partOfPage(
  form: HTMLFormElement,
  at: string,
  id: string,
  signal?: AbortSignal,
): Promise<HTMLElement | string> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.append(name, String(value))
  body.set('pane', '1')
  const answer = await fetch(at, { method: 'POST', body, signal: signal ?? null })
  if (answer.redirected) return SIGNED_OUT
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const part = page.getElementById(id)
  if (answer.ok && part) return part
  const message = page.querySelector('.form-error') ?? page.querySelector('h1')
  return message?.textContent ?? `The server answered with status ${answer.status}.`
}
