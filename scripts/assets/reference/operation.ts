import { html, raw } from 'hono/html'
import { type Documented, examplesOf, nameOf, type Response, resolved } from './document.ts'
import {
  chapterId,
  idOf,
  type Located,
  operationsOf,
  parametersOf,
  SHARED_ERRORS,
  successOf,
} from './located.ts'
import { requestPart } from './request.ts'
import { belowOf, fieldOf } from './schema.ts'
import { blocks, type Html, hrefTo, json, preformatted } from './text.ts'

/** All about one operation: what it takes and gives on one side, what to send on the other. */
export function operationSection(located: Located): Html {
  const { method, path, operation } = located
  const id = idOf(located)
  return html`<section class="operation" id="${id}" aria-label="${operation.summary}">
<div class="told">
<h4><a href="${hrefTo(id)}">${operation.summary}</a></h4>
<p class="address"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></p>
${blocks(operation.description)}
${parametersPart(located)}
${bodyPart(located)}
${successPart(located)}
${errorsPart(located)}
</div>
<div class="tried">
${requestPart(located)}
${answerPart(located)}
</div>
</section>`
}

function parametersPart(located: Located): Html | '' {
  const parameters = parametersOf(located)
  if (parameters.length === 0) return ''
  const { document } = located.documented
  const rows = parameters.map(({ name, schema, description, required = false }) =>
    fieldOf(
      document,
      name,
      { ...schema, ...(description && { description }) },
      { isRequired: required },
    ),
  )
  return html`<h5>Parameters</h5><ul class="fields">${rows}</ul>`
}

// Fields that take more bytes than this are told of once in a group: the page has a limit.
const REPEATED_MAX = 1000

function bodyPart(located: Located): Html | '' {
  const { requestBody } = located.operation
  if (!requestBody) return ''
  const toldAt = (fields: string) =>
    toldBefore(located, fields, (one) => String(bodyFields(one)).includes(fields))
  return html`<h5>Body${requestBody.required ? '' : ', optional'}</h5>${bodyFields(located, toldAt)}`
}

function bodyFields(
  { documented, operation }: Located,
  toldAt?: (fields: string) => Html | undefined,
): Html | '' {
  const { schema = {} } = operation.requestBody?.content['application/json'] ?? {}
  return belowOf(documented.document, schema, toldAt && { toldAt, told: new Map() })
}

function successPart(located: Located): Html {
  const [status, { description }] = successOf(located.operation)
  const all = dataFields(located)
  const told = toldBefore(located, all, (one) => dataFields(one) === all)
  const toldAt = (fields: string) =>
    toldBefore(located, fields, (one) => dataFields(one).includes(fields))
  const fields = raw(dataFields(located, toldAt))
  return html`<h5>Answer</h5><p>${status}: ${description}</p>
${told ?? html`<details><summary>Fields of <code>data</code></summary>${fields}</details>`}`
}

function dataFields(
  { documented, operation }: Located,
  toldAt?: (fields: string) => Html | undefined,
): string {
  const [, { content }] = successOf(operation)
  const { data = {} } = content['application/json'].schema.properties ?? {}
  const more = toldAt && { toldAt, told: new Map<string, string>() }
  return String(belowOf(documented.document, data, { isAnswer: true, ...more }))
}

/** A link to the first operation of the group that tells of the same fields; undefined if this is it. */
function toldBefore(
  { documented, method, path, operation }: Located,
  fields: string,
  tells: (one: Located) => boolean,
): Html | undefined {
  if (fields.length <= REPEATED_MAX) return undefined
  const group = operationsOf(documented, operation.tags[0])
  const here = group.findIndex((one) => one.method === method && one.path === path)
  const first = group.slice(0, here).find(tells)
  if (!first) return undefined
  return html`<div>Its fields are those of <a href="${hrefTo(idOf(first))}">${first.operation.summary}</a>.</div>`
}

function errorsPart({ documented, operation }: Located): Html {
  const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
  const own = errors.filter(([, response]) => !nameOf(response))
  const shared = errors.filter(([, response]) => nameOf(response))
  return html`<h5>Errors</h5>
<ul class="fields">${own.map(([status, response]) => ownErrors(status, response))}</ul>
<p>And these <a href="${hrefTo(chapterId(documented, SHARED_ERRORS))}">shared errors</a>:
${shared.map(([status, response]) => sharedErrors(documented, status, response))}</p>`
}

/** Those that the operation has an example of its own for. */
function ownErrors(status: string, response: Response): Html {
  return html`${examplesOf(response).map(
    ([
      code,
      body,
    ]) => html`<li><details><summary>${status} <code>${code}</code>: ${body.error.message}</summary>
<pre tabindex="0"><code>${preformatted(json(body))}</code></pre></details></li>`,
  )}`
}

function sharedErrors({ document }: Documented, status: string, response: Response): Html {
  const codes = examplesOf(resolved(document, response)).map(
    ([code], index) => html`${index > 0 ? ', ' : ''}<code>${code}</code>`,
  )
  return html`<span class="shared">${status} ${codes}</span> `
}

function answerPart(located: Located): Html {
  const [status, { content }] = successOf(located.operation)
  return html`<h5>${status}, for example</h5>
<pre tabindex="0"><code>${preformatted(json(content['application/json'].example))}</code></pre>`
}
