import { describe, expect, it } from 'vitest'
import { whatHappened } from '../../src/dashboard/records/what-happened.ts'

describe('whatHappened', () => {
  it.each([
    ['POST', '/api/integrations/v1/orders/', 'Created'],
    ['PUT', '/api/integrations/v1/products/undo%2F/', 'Changed'],
    ['PUT', '/api/integrations/v1/orders/SO-1/', 'Changed'],
    ['PUT', '/api/integrations/v1/products/undo/', 'Changed'],
    ['DELETE', '/api/integrations/v1/orders/SO-1/', 'Cancelled'],
    ['DELETE', '/api/integrations/v1/locations/A/', 'Deactivated'],
    ['POST', '/webhooks/v1/…/', 'Delivered'],
    ['POST', '/dashboard/new/product/', 'Created'],
    ['POST', '/dashboard/import/products/run/', 'Imported'],
    ['POST', '/dashboard/orders/1f/cancel/', 'Cancelled'],
    ['POST', '/dashboard/products/1f/edit/', 'Edited'],
    ['POST', '/dashboard/products/1f/deactivate/', 'Deactivated'],
    ['POST', '/dashboard/locations/1f/activate/', 'Activated'],
    ['POST', '/api/settings/v1/audit-log/1f/undo/', 'Set back by an undo'],
    ['POST', '/dashboard/audit-log/1f/undo/', 'Set back by an undo'],
    ['POST', '/api/settings/v1/workspace/', null],
  ])('%s %s: %s', (method, path, words) => {
    expect(whatHappened({ method, path })).toBe(words)
  })
})
