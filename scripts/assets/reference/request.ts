import { html } from 'hono/html'
import { filledAddress, shellLine } from '../../../src/dashboard/browser/reference/curl.ts'
import type { Operation, Parameter } from './document.ts'
import { type Located, parametersOf } from './located.ts'
import { type Html, json, preformatted } from './text.ts'

/** The curl line, and a form that sends the same. */
export function requestPart(located: Located): Html {
  const { method, path, operation } = located
  // The form has no fields for conditions.
  const parameters = parametersOf(located).filter((one) => one.in !== 'header')
  const example = operation.requestBody?.content['application/json'].example
  const body = example === undefined ? '' : json(example)
  const filled = parameters.map((one) => [one.name, exampleOf(located, one)] as const)
  const url = `http://localhost:8787${filledAddress(path, Object.fromEntries(filled), {})}`
  const line = shellLine({ method, url, body, hasKey: !isOpen(operation) })
  const shown = html`<pre tabindex="0"><code>${preformatted(line)}</code></pre>`
  // This page cannot try an endpoint without a key: it would have to sign.
  if (isOpen(operation)) return html`<h5>Request</h5>${shown}`
  return html`<form data-method="${method}" data-path="${path}" autocomplete="off">
<div class="titled"><h5>Request</h5><button type="button" class="quiet" data-copy>Copy curl</button></div>
${shown}
<details class="try"><summary>Try it</summary>
<label>X-API-Key <input name="X-API-Key" type="password" placeholder="xd_demo_…" data-key="${located.documented.area}" required></label>
${parameters.map((one) => inputOf(located, one))}
${body ? html`<label>Body <textarea name="body" spellcheck="false" rows="${Math.min(body.split('\n').length, 20)}">${preformatted(body)}</textarea></label>` : ''}
<button>Send</button>
<p class="outcome" role="status"></p>
<pre class="answered" tabindex="0" hidden><code></code></pre>
</details>
</form>`
}

function isOpen({ security }: Operation): boolean {
  return security?.length === 0
}

function exampleOf({ operation }: Located, { examples }: Parameter): string {
  return examples?.[operation.tags[0]]?.value ?? ''
}

function inputOf(located: Located, parameter: Parameter): Html {
  const { name, schema, in: place, required } = parameter
  const fallback = schema.default === undefined ? '' : String(schema.default)
  const values = schema.type === 'boolean' ? [true, false] : schema.enum
  if (!values) {
    const value = exampleOf(located, parameter)
    const attributes = html`${value && html` value="${value}"`}${fallback && html` placeholder="${fallback}"`}${required ? html` required` : ''}`
    return html`<label>${name} <input name="${name}" data-in="${place}"${attributes}></label>`
  }
  const others = values.filter((value) => value !== schema.default)
  return html`<label>${name} <select name="${name}" data-in="${place}">
${required ? '' : html`<option value="">${fallback || 'any'}</option>`}
${others.map((value) => html`<option>${value}</option>`)}</select></label>`
}
