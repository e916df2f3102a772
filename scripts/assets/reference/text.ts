import { type html, raw } from 'hono/html'
import { marked } from 'marked'

/** HTML that `html` puts into other HTML as it is. */
export type Html = ReturnType<typeof html>

/** A chapter of a document's description: what stands below one of its headings. */
export interface Chapter {
  title: string
  text: string
}

/** What a description says before its first heading, and its chapters. */
export function chaptersOf(description: string): { opening: string; chapters: Chapter[] } {
  const [opening = '', ...parts] = description.split(/^## /m)
  const chapters = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n')
    return { title, text: lines.join('\n') }
  })
  return { opening, chapters }
}

/** Paragraphs and lists. */
export function blocks(markdown: string): Html {
  return raw(marked.parse(markdown, { async: false }))
}

/** A line, without a paragraph around it. */
export function inline(markdown: string): Html {
  return raw(marked.parseInline(markdown, { async: false }))
}

/** Text between tags, where quotes need no escapes: the examples have thousands of them. */
export function preformatted(text: string): Html {
  return raw(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** `api-keys` of "API keys". */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

/** A link to the element with this id. */
export function hrefTo(id: string): string {
  return `#${encodeURI(id)}`
}
