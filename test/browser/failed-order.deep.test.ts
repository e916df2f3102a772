import { describe, expect, it } from 'vitest'
import { reload } from './chromium.ts'
import { call, menu, openWindow, page, pasted, preview, see, served } from './editor.ts'
import { mend, openFailing } from './failures.ts'

const seeFault = async () => {
  await page.locator('.document mark', { hasText: '"4"' }).waitFor()
  await page.getByText('Must be an integer, not a string.').first().waitFor()
}

describe('a failed order', () => {
  it('is found, explained in its document, mended and sent again', async () => {
    const { id, key, ids } = await openFailing('Nordvik', 5)
    const partner = `${served.origin}/dashboard/partners/${id}/`
    await page.goto(partner)
    await page.getByText('was refused in 5 requests').waitFor()

    // Three clicks from the overview to the place that is wrong.
    await menu('Overview')
    await page.getByRole('link', { name: 'Requests with VALIDATION_ERROR' }).click()
    await page.locator('summary', { hasText: 'POST' }).first().click()
    await page.getByRole('link', { name: 'Document and details' }).first().click()
    await seeFault()

    await page.getByRole('link', { name: 'Open in the mapping editor' }).click()
    await expect.poll(() => pasted().inputValue()).toContain('"qty": "4"')
    await see('This document would be refused')
    await preview().getByRole('button', { name: 'Read it as an integer' }).click()
    await see('This document would be accepted.')
    await page.getByRole('button', { name: 'Try on the last 200 documents' }).focus()
    await page.keyboard.press('Enter')
    const tried = page.getByRole('region', { name: 'Tried on kept documents' })
    await tried.getByText('5 documents: 5 more would be accepted.').waitFor()
    expect(await tried.evaluate('document.activeElement.id')).toBe('replay')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()

    await page.goto(partner)
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.getByRole('link', { name: 'Send failed requests again' }).click()
    await page.getByRole('button', { name: 'Send 5 failed requests again' }).click()
    await page.getByText('5 of 5 requests are done: 5 accepted.').waitFor()
    await expect
      .poll(() => page.getByRole('row', { name: /^Nordvik-3 [\da-f]{8} Accepted/ }).count())
      .toBe(1)
    const order = await call('GET', 'integrations/v1/orders/Nordvik-3/', undefined, key)
    expect(order.status).toBe(200)
    // A reload asks anew, and sends nothing, once the script of the page has run.
    await page.waitForLoadState('load')
    await reload(page)
    await page.getByText('5 failed requests were sent again before, and accepted.').waitFor()
    await page.goto(partner)
    await page.getByText('Nothing was found in this partner').waitFor()

    await menu('Audit log')
    await page.getByLabel('Request id').fill(ids[1] ?? '')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('link', { name: 'Document and details' }).click()
    await seeFault()

    await menu('Audit log')
    await page.getByText('Filters', { exact: false }).first().click()
    await page.getByLabel('Record', { exact: true }).fill('Nordvik-2')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.locator('summary', { hasText: 'POST' }).last().click()
    await page.getByRole('link', { name: 'Document and details' }).last().click()
    await seeFault()
  })
})

const ask = async (id: string) => {
  await page.goto(`${served.origin}/dashboard/send-again/?partner_id=${id}`)
  await page.getByRole('button', { name: 'Send 55 failed requests again' }).click()
}

const seeAll = () => page.getByText('55 of 55 requests are done: 55 accepted.').waitFor()

describe('a run of more requests than are sent at a time', () => {
  it('goes on by itself to its end', async () => {
    const { id } = await openFailing('Alone', 55)
    await mend(id)
    await ask(id)
    await page.getByText('50 of 55 requests are done: 50 accepted.').waitFor()
    await seeAll()
  })

  it('stops where it is told to, and goes on later', async () => {
    const { id } = await openFailing('Stopped', 55)
    await mend(id)
    await ask(id)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.locator('button:focus', { hasText: 'Continue' }).waitFor()
    await page.waitForTimeout(2000)
    await page.getByText('50 of 55 requests are done: 50 accepted.').waitFor()
    await page.keyboard.press('Enter')
    await seeAll()
  })

  it('needs no JavaScript', async () => {
    const { id } = await openFailing('Plain', 55)
    await mend(id)
    await openWindow({ javaScriptEnabled: false })
    await ask(id)
    await page.getByText('50 of 55 requests are done: 50 accepted.').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await seeAll()
  })
})

describe('the mapping editor without JavaScript', () => {
  it('shows what the rules make of kept documents below them', async () => {
    const { id } = await openFailing('Paper', 2)
    await openWindow({ javaScriptEnabled: false })
    await page.goto(`${served.origin}/dashboard/partners/${id}/mappings/orders/`)
    await page.getByLabel('Conversion').nth(2).selectOption('as integer')
    await page.getByRole('button', { name: 'Try on the last 200 documents' }).click()
    await page.getByText('2 documents: 2 more would be accepted.').waitFor()
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
  })
})
