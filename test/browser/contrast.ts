import type { Page } from 'playwright-core'

/** What WCAG 2.2 asks for text of the usual size (AA, 1.4.3). */
const LEAST = 4.5

/** Text of the page, placeholders included, that stands out too little from what is behind it. */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number)
    const luminance = (colour) => {
      const [r, g, b] = parts(colour).map((part) => {
        const share = part / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const behind = (element) => {
      const { backgroundColor } = getComputedStyle(element)
      const isOpaque = (parts(backgroundColor)[3] ?? 1) === 1
      return isOpaque ? backgroundColor : behind(element.parentElement)
    }
    const ratio = (colour, element) => {
      const [dark, light] = [luminance(colour), luminance(behind(element))].sort((a, b) => a - b)
      return (light + 0.05) / (dark + 0.05)
    }
    const isText = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== ''
    const faint = new Set()
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility()) continue
      const told = [...element.childNodes].filter(isText).map(({ data }) => [data.trim(), ''])
      if (element.placeholder) told.push([element.placeholder, '::placeholder'])
      for (const [text, part] of told) {
        const found = ratio(getComputedStyle(element, part).color, element)
        if (found < ${LEAST}) faint.add(found.toFixed(2) + ' ' + element.localName + part + ' ' + text)
      }
    }
    return [...faint]
  })()`)
}
