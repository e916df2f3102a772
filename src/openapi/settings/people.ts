import { exampleOf } from '../../engine/model/record.ts'
import { tooManyKeys } from '../../settings/api-keys/bound.ts'
import { Person } from '../../settings/api-keys/people/schema.ts'
import { personExists } from '../../settings/api-keys/queries.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { thrown, unknownRecord, wrong } from '../errors.ts'

named('CreatePerson', Person.Create)
named('UpdatePerson', Person.Update)
named('Person', Person.Shown)

const PERSON = Person.Shown.parse(exampleOf(Person))

const NOT_FOUND = unknownRecord(`No person has the id "${PERSON.id}".`)

const GRANTS =
  'Your own key must cover every scope of the role; otherwise the response is `SCOPE_MISSING`.'

export const peopleReference = endpoints('settings', 'API keys', {
  'POST /people/': {
    operationId: 'createPerson',
    summary: 'Add a person',
    description: `Lets somebody sign in to the dashboard with an e-mail address, through Cloudflare Access. The role says what the person may do. ${GRANTS}`,
    body: { example: { name: 'Ada Lund', email: 'ada@example.com', role: 'operator' } },
    answer: { status: 201, description: 'The person.', data: Person.Shown, example: PERSON },
    errors: {
      VALIDATION_ERROR: wrong('email', 'Must be an e-mail address.'),
      ...thrown(personExists('ada@example.com')),
      ...thrown(tooManyKeys()),
    },
  },
  'GET /people/': {
    operationId: 'listPeople',
    summary: 'List people',
    description: 'Returns all people, newest first, including those whose access was taken away.',
    answer: pageOf('people', Person.Shown, PERSON),
  },
  'GET /people/{id}/': {
    operationId: 'findPerson',
    summary: 'Retrieve a person',
    description: 'Returns the person.',
    answer: { description: 'The person.', data: Person.Shown, example: PERSON },
    errors: { NOT_FOUND },
  },
  'PUT /people/{id}/': {
    operationId: 'updatePerson',
    summary: 'Update a person',
    description: `Replaces the given fields. A new role holds from the next request of the person on. ${GRANTS} You can repeat this request.`,
    body: { example: { role: 'manager' } },
    answer: {
      description: 'The person.',
      data: Person.Shown,
      example: { ...PERSON, role: 'manager' },
    },
    errors: {
      VALIDATION_ERROR: wrong('role', 'Must be one of: owner, manager, operator, viewer.'),
      NOT_FOUND,
    },
  },
  'DELETE /people/{id}/': {
    operationId: 'removePerson',
    summary: 'Take a person’s access away',
    description:
      'The next request of the person is refused, in every session. The audit log and the history keep the name. You can repeat this request.',
    answer: {
      description: 'The person.',
      data: Person.Shown,
      example: { ...PERSON, revoked_at: '2026-11-21T12:30:11.004Z', status: 'revoked' },
    },
    errors: { NOT_FOUND },
  },
})
