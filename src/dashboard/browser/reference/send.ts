import { filledRequest } from './request.ts'

interface Outcome {
  isGood: boolean
  /** Status and time; or why there is no answer. */
  line: string
  text: string
}

/** Sends what the form stands for, to the host that the page is from, and shows what comes back. */
export function sendOnSubmit(form: HTMLFormElement): void {
  let isSending = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSending) return
    isSending = true
    show(form, { isGood: true, line: 'Sending …', text: '' })
    show(form, await outcomeOf(form))
    isSending = false
  })
}

function show(form: HTMLFormElement, { isGood, line, text }: Outcome): void {
  const status = form.querySelector('.outcome')
  const answered = form.querySelector<HTMLElement>('.answered')
  const code = answered?.querySelector('code')
  if (!status || !answered || !code) return
  status.className = `outcome ${isGood ? 'good' : 'bad'}`
  status.textContent = line
  answered.hidden = text === ''
  code.textContent = text
}

async function outcomeOf(form: HTMLFormElement): Promise<Outcome> {
  const { method, url, body } = filledRequest(form)
  const key = form.querySelector<HTMLInputElement>('[data-key]')?.value.trim() ?? ''
  const headers = { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) }
  const started = performance.now()
  try {
    const answer = await fetch(url, { method, headers, ...(body && { body }), credentials: 'omit' })
    const text = await answer.text()
    const ms = Math.round(performance.now() - started)
    const line = `${answer.status} ${answer.statusText}, ${ms} ms`
    return { isGood: answer.ok, line, text: pretty(text) }
  } catch (error) {
    return { isGood: false, line: `No answer came: ${error}`, text: '' }
  }
}

/** JSON with a line for each member; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
