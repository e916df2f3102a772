const FIRST_MS = 3000
const GROWTH = 1.15
const PAUSE_MS_MAX = 30_000
/** After that "Check again" asks. */
const TOTAL_MS_MAX = 30 * 60_000

/** Shows what has arrived at a new webhook while its page is open: at first every three seconds, then less often. */
export function watchArrivals(): void {
  const line = document.querySelector<HTMLElement>('[data-arrived]')
  const at = line?.dataset.arrived
  if (!line || !at) return
  const end = Date.now() + TOTAL_MS_MAX
  let pause = FIRST_MS
  const look = async () => {
    if (document.hidden) {
      document.addEventListener('visibilitychange', () => void look(), { once: true })
      return
    }
    const isNew = await show(line, at).catch(() => false)
    pause = isNew ? FIRST_MS : Math.min(pause * GROWTH, PAUSE_MS_MAX)
    if (Date.now() < end) setTimeout(() => void look(), pause)
  }
  setTimeout(() => void look(), pause)
}

/** Whether something else has arrived than before. Ends with the session: the page of the sign-in has no such line. */
async function show(line: HTMLElement, at: string): Promise<boolean> {
  const answer = await fetch(at)
  if (!answer.ok || answer.redirected) return false
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const found = page.getElementById('arrived')
  if (!found || found.textContent === line.textContent) return false
  const isOther = linksOf(found) !== linksOf(line)
  // Only what is new is read out.
  line.ariaLive = isOther ? 'polite' : 'off'
  line.replaceChildren(...found.childNodes)
  return isOther
}

function linksOf(element: Element): string {
  return Array.from(element.querySelectorAll('a'), ({ href }) => href).join(' ')
}
