const SENT = 'form that was sent'
const LENGTH_MAX = 1_000_000
// Whatever looks like an API key is not kept.
const KEY = /x[dh]_[a-z0-9-]+_[\w-]{20}/i
const FORMS = 'main form[method="post"]:not([data-goes-on]):not(.confirmation *):not(.sign-in *)'

/** A form that may have been refused because the session had ended. */
interface Sent {
  path: string
  fields: [string, string][]
  /** The sign-in page followed. */
  isRefused?: boolean
}

/** Asks before a page with unsaved input is left, and offers what was sent after the session had ended. */
export function keepUnsaved(): void {
  offerSent()
  for (const form of document.querySelectorAll<HTMLFormElement>(FORMS)) watch(form)
}

function watch(form: HTMLFormElement): void {
  // What the server shows after a refusal, or of a mere preview, is not saved either.
  const isDraft =
    form.querySelector('.form-error, .conflict') || /\/(preview|replay)\/$/.test(location.pathname)
  const before = isDraft ? '' : textOf(form)
  let isSent = false
  form.addEventListener('submit', () => {
    isSent = true
    store({ path: new URL(form.action).pathname, fields: fieldsOf(form) })
  })
  window.addEventListener('beforeunload', (event) => {
    if (!isSent && textOf(form) !== before) event.preventDefault()
  })
  // The page may come back from the history.
  window.addEventListener('pageshow', () => {
    isSent = false
  })
}

/** Of a mapping's editor: what the rules are tried on. */
const SAMPLE = ['document', 'sent']

/** The document of a mapping is no part of what is saved, and is kept by itself. */
function textOf(form: HTMLFormElement): string {
  return JSON.stringify(fieldsOf(form).filter(([name]) => !SAMPLE.includes(name)))
}

function fieldsOf(form: HTMLFormElement): [string, string][] {
  const secret = new Set(
    Array.from(form.querySelectorAll<HTMLInputElement>('[type="password"]'), ({ name }) => name),
  )
  return [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && !secret.has(name) ? [[name, value]] : [],
  )
}

function store(sent: Sent): void {
  const text = JSON.stringify(sent)
  try {
    if (text.length > LENGTH_MAX || KEY.test(text)) sessionStorage.removeItem(SENT)
    else sessionStorage.setItem(SENT, text)
  } catch {
    // It exceeds the browser's storage quota.
    sessionStorage.removeItem(SENT)
  }
}

/** The page after a form shows whether the session had ended: then it is the sign-in page, and after that its own. */
function offerSent(): void {
  const sent = storedForm()
  if (!sent) return
  if (location.pathname === '/dashboard/sign-in/') {
    store({ ...sent, isRefused: true })
    return
  }
  sessionStorage.removeItem(SENT)
  const form = formAt(sent.path)
  if (sent.isRefused && form) offer(form, sent)
}

function storedForm(): Sent | null {
  return JSON.parse(sessionStorage.getItem(SENT) ?? 'null') as Sent | null
}

function formAt(path: string): HTMLFormElement | undefined {
  const forms = Array.from(document.querySelectorAll<HTMLFormElement>(FORMS))
  return forms.find(({ action }) => new URL(action).pathname === path)
}

function offer(form: HTMLFormElement, sent: Sent): void {
  const notice = document.createElement('p')
  notice.className = 'notice unsaved'
  notice.setAttribute('role', 'status')
  const fill = document.createElement('button')
  fill.type = 'button'
  fill.className = 'secondary'
  fill.textContent = 'Fill it in again'
  fill.addEventListener('click', () => {
    notice.remove()
    fillIn(form, sent)
  })
  notice.append('The form was not saved: the session had ended. ', fill)
  document.querySelector('main')?.prepend(notice)
}

/** The server shows the rules of a mapping, of which there may be more than the form has rows. */
function fillIn(form: HTMLFormElement, { fields }: Sent): void {
  const { previewAt } = form.dataset
  if (previewAt) {
    sendTo(previewAt, fields)
    return
  }
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value])
  for (const control of form.elements) setControl(control, values)
  form.dispatchEvent(new Event('input', { bubbles: true }))
}

function setControl(control: Element, values: Map<string, string[]>): void {
  if (control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)) {
    control.checked = values.get(control.name)?.includes(control.value) ?? false
  } else if (
    control instanceof HTMLTextAreaElement ||
    control instanceof HTMLSelectElement ||
    (control instanceof HTMLInputElement && isFilledIn(control))
  ) {
    const value = values.get(control.name)?.shift()
    if (value !== undefined) control.value = value
  }
}

/** What was typed, and the record in which it was typed: others may have changed that meanwhile. */
function isFilledIn({ type, name }: HTMLInputElement): boolean {
  return name === 'version' || name.startsWith('was.') || !['hidden', 'password'].includes(type)
}

function sendTo(action: string, fields: [string, string][]): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  for (const [name, value] of fields) {
    // An input of one line drops the ends of lines.
    const field = document.createElement('textarea')
    field.name = name
    field.value = value
    form.append(field)
  }
  form.hidden = true
  document.body.append(form)
  form.submit()
}
