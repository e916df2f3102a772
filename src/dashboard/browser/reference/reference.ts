import { offerCopies } from '../dashboard/copy.ts'
import { showCurl } from './request.ts'
import { sendOnSubmit } from './send.ts'

// The page is a static asset, which answers over plain HTTP, too. A key that is typed here must not go that way.
if (!isSecureContext) location.replace(overHttps())

const forms = document.querySelectorAll<HTMLFormElement>('form[data-path]')

for (const form of forms) {
  showCurl(form)
  form.addEventListener('input', () => showCurl(form))
  sendOnSubmit(form)
}
shareKeys()
foldContents()
offerCopies()

/** This address at the usual port of HTTPS. */
function overHttps(): URL {
  const url = new URL(location.href)
  url.port = ''
  url.protocol = 'https:'
  return url
}

/** A key that is typed once is in every form of the same API. It is kept nowhere but in this page. */
function shareKeys(): void {
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.dataset.key) return
    const same = `input[data-key="${target.dataset.key}"]`
    for (const input of document.querySelectorAll<HTMLInputElement>(same))
      input.value = target.value
  })
}

/** Where the contents stand above the text they are folded, and fold again behind a choice. */
function foldContents(): void {
  const contents = document.querySelector<HTMLDetailsElement>('nav details')
  const isNarrow = matchMedia('(max-width: 60rem)')
  const fold = () => contents?.toggleAttribute('open', !isNarrow.matches)
  fold()
  isNarrow.addEventListener('change', fold)
  contents?.addEventListener('click', ({ target }) => {
    if (isNarrow.matches && target instanceof HTMLAnchorElement) contents.open = false
  })
}
