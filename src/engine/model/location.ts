import { active, id, identifier, object, text } from './fields.ts'
import { record } from './record.ts'

export const Location = record({
  one: 'location',
  many: 'locations',
  key: 'code',
  free: 'metadata',
  fields: {
    id: id('5d7c9d0e-4f6c-4c8e-8a53-6a4d0f4d9b21'),
    code: identifier({ example: 'D-05/1' }),
    name: text({ example: 'Overflow rack', isSearched: true }),
    zone: text({ example: 'D', isSearched: true }),
    aisle: text({ example: '05', isSearched: true }),
    metadata: object({ example: { temperature: 'ambient' } }),
    is_active: active(),
  },
  lists: ['code', 'name', 'zone', 'aisle', 'is_active'],
  filters: ['code'],
})
