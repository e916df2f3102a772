import { describe, it } from 'vitest'
import { openWindow, page, served } from './editor.ts'
import { mend, openFailing } from './failures.ts'

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
