import { html } from 'hono/html'
import {
  ALL,
  type Documented,
  examplesOf,
  nameOf,
  type OpenApi,
  type Operation,
  type Response,
} from './document.ts'
import {
  BESIDE_DATA,
  chapterId,
  HEADERS,
  idOf,
  operationsOf,
  SHARED_ERRORS,
  successOf,
} from './located.ts'
import { operationSection } from './operation.ts'
import { belowOf, fieldsOf } from './schema.ts'
import {
  blocks,
  type Chapter,
  chaptersOf,
  type Html,
  hrefTo,
  inline,
  json,
  preformatted,
  slugOf,
} from './text.ts'

const TITLE = 'Crossdock API reference'

/** Both documents, to read and to try, as one page that stands without a script. */
export async function referencePage(): Promise<string> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${TITLE}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/docs/reference.css">
<script type="module" src="/docs/reference.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><h1>${TITLE}</h1> <a href="/dashboard/">Dashboard</a></header>
<nav aria-label="Contents"><details open><summary>Contents</summary>${ALL.map(contentsOf)}</details></nav>
<main id="content">${ALL.map(areaSection)}</main>
</body>
</html>
`
  return String(await page)
}

function contentsOf(documented: Documented): Html {
  const { area, document } = documented
  const { chapters } = chaptersOf(document.info.description)
  const titles = [...chapters.map(({ title }) => title), BESIDE_DATA, HEADERS, SHARED_ERRORS]
  const links = titles.map(
    (title) => html`<li><a href="${hrefTo(chapterId(documented, title))}">${title}</a></li>`,
  )
  const groups = document.tags.map(({ name }) => {
    const operations = operationsOf(documented, name).map(
      (located) =>
        html`<li><a href="${hrefTo(idOf(located))}">${located.operation.summary} <b class="${located.method.toLowerCase()}">${located.method}</b></a></li>`,
    )
    return html`<p>${name}</p><ul>${operations}</ul>`
  })
  return html`<h2><a href="${hrefTo(area)}">${document.info.title}</a></h2><ul>${links}</ul>${groups}`
}

function areaSection(documented: Documented): Html {
  const { area, path, document } = documented
  const { opening, chapters } = chaptersOf(document.info.description)
  const groups = document.tags.map(({ name, description }) => {
    const id = `${area}/tag/${slugOf(name)}`
    return html`<section class="group" id="${id}"><h3>${name}</h3><p>${inline(description)}</p>
${operationsOf(documented, name).map(operationSection)}</section>`
  })
  return html`<section class="area" id="${area}">
<div class="text"><h2>${document.info.title}</h2>${blocks(opening)}
<p>As a document for tools, OpenAPI 3.1: <a href="${path}">${path}</a></p></div>
${chapters.map((chapter) => chapterSection(documented, chapter.title, toldOnce(documented, chapter)))}
${chapterSection(documented, BESIDE_DATA, besideData(documented))}
${chapterSection(documented, HEADERS, headersTable(documented))}
${chapterSection(documented, SHARED_ERRORS, sharedErrors(documented))}
${groups}
</section>`
}

/** The chapter, or a link to the document before that has it, too: the page has a limit. */
function toldOnce(documented: Documented, { title, text }: Chapter): Html {
  const first = ALL.find(({ document }) =>
    chaptersOf(document.info.description).chapters.some((one) => one.text === text),
  )
  return first && first !== documented ? linkTo(first, title) : blocks(text)
}

function linkTo(documented: Documented, title: string): Html {
  const { info } = documented.document
  return html`<p>As in the <a href="${hrefTo(chapterId(documented, title))}">${info.title}</a>.</p>`
}

function chapterSection(documented: Documented, title: string, content: Html): Html {
  return html`<section class="text" id="${chapterId(documented, title)}"><h3>${title}</h3>
${content}</section>`
}

/** What an answer has besides `data`. */
function besideData({ document }: Documented): Html {
  const successes = allOperations(document).map((operation) => successOf(operation)[1])
  const fields = successes.flatMap(({ content }) =>
    Object.entries(content['application/json'].schema.properties ?? {}),
  )
  const { data, success, ...beside } = Object.fromEntries(fields)
  return fieldsOf(document, { properties: beside })
}

function allOperations({ paths }: OpenApi): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods))
}

/** By the names that answers give them. */
function headersTable({ document }: Documented): Html {
  const own = allOperations(document).flatMap(({ responses }) => Object.values(responses))
  const all = [...own, ...Object.values(document.components.responses)]
  const names = new Map(all.flatMap(({ headers = {} }) => Object.entries(headers)))
  const rows = [...names].map(([name, header]) => {
    const { description } = document.components.headers[nameOf(header) ?? ''] ?? { description: '' }
    return html`<li><code>${name}</code><div>${inline(description)}</div></li>`
  })
  return html`<ul class="fields">${rows}</ul>`
}

/** Those that the document before does not have in the same words. */
function sharedErrors(documented: Documented): Html {
  const [first] = ALL
  if (!first || first === documented) return html`${errorsSharedIn(documented)}`
  const known = errorsSharedIn(first).map(String)
  const own = errorsSharedIn(documented).filter((told) => !known.includes(String(told)))
  return html`${own}<p>The others are as in the <a href="${hrefTo(chapterId(first, SHARED_ERRORS))}">${first.document.info.title}</a>.</p>`
}

/** By their status; the one that stands for any other error has none. */
function errorsSharedIn({ document }: Documented): Html[] {
  const given = allOperations(document).flatMap(({ responses }) => Object.entries(responses))
  const statuses = new Map(given.map(([status, response]) => [nameOf(response), status]))
  return Object.entries(document.components.responses).map(([name, response]) =>
    sharedError(document, Number(statuses.get(name)) || '', response),
  )
}

function sharedError(document: OpenApi, status: number | '', response: Response): Html {
  const told = examplesOf(response).map(
    ([
      code,
      body,
    ]) => html`<details><summary>${status} <code>${code}</code>: ${body.error.message}</summary>
<pre tabindex="0"><code>${preformatted(json(body))}</code></pre></details>`,
  )
  const { schema } = response.content['application/json']
  const fields = html`<details><summary>Fields</summary>${belowOf(document, schema)}</details>`
  return html`<div class="response">
<p>${inline(response.description)}</p>${told.length > 0 ? told : fields}</div>`
}
