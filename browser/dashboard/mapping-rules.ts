/** Buttons that add rows and take them away; `edited` is told of either. */
export function editRules(form: HTMLFormElement, edited: () => void): void {
  for (const rules of form.querySelectorAll<HTMLElement>('[data-rules]')) {
    const body = rules.querySelector('tbody')
    const blank = body?.lastElementChild?.cloneNode(true) as HTMLElement | undefined
    const add = rules.querySelector<HTMLButtonElement>('[data-add]')
    if (!body || !blank || !add) continue
    for (const row of [...body.children]) if (isBlank(row)) row.remove()
    for (const row of [blank, ...body.children]) showRemove(row)
    add.hidden = false
    add.addEventListener('click', () => addRow(rules, body, blank))
    body.addEventListener('click', (event) => {
      const button = (event.target as Element).closest('[data-remove]')
      if (!button) return
      removeRow(button, add)
      edited()
    })
  }
}

function addRow(rules: HTMLElement, body: HTMLElement, blank: HTMLElement): void {
  const row = blank.cloneNode(true) as HTMLElement
  body.append(row)
  chooseMapped(rules)
  row.querySelector('input')?.focus()
}

/** Who adds a rule wants the direction mapped. */
function chooseMapped(rules: HTMLElement): void {
  const select = rules.querySelector('select')
  if (select?.value === '') select.selectedIndex = 1
}

function removeRow(button: Element, add: HTMLElement): void {
  const row = button.closest('tr')
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
  const next = neighbour?.querySelector<HTMLElement>('[data-remove]') ?? add
  row?.remove()
  next.focus()
}

function showRemove(row: Element): void {
  for (const button of row.querySelectorAll<HTMLElement>('[data-remove]')) button.hidden = false
}

function isBlank(row: Element): boolean {
  return [...row.querySelectorAll('input')].every(({ value }) => value === '')
}
