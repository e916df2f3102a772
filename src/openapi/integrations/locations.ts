import * as z from 'zod'
import { NoFields } from '../../fields.ts'
import { PageQuery } from '../../pagination.ts'
import { CreateLocation, LocationRecord, UpdateLocation } from '../../resources/locations/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'

named('CreateLocation', CreateLocation)
named('UpdateLocation', UpdateLocation)
named('Location', LocationRecord)

const CreatedLocation = named('CreatedLocation', LocationRecord.omit({ metadata: true }))
const LocationSummary = named('LocationSummary', LocationRecord.omit({ id: true, metadata: true }))
const DeactivatedLocation = named(
  'DeactivatedLocation',
  z.object({ id: z.string(), code: z.string(), is_active: z.literal(false) }),
)

const ID = '5d7c9d0e-4f6c-4c8e-8a53-6a4d0f4d9b21'
const SUMMARY = {
  code: 'D-04/2',
  name: 'Overflow rack',
  zone: 'D',
  aisle: '04',
  is_active: true,
}
const LOCATION = { id: ID, ...SUMMARY, metadata: { temperature: 'ambient' } }

const NOT_FOUND = { message: 'No location has the code "D-04/2".' }
const AMBIGUOUS = { message: 'Several locations have the zone "D": it names none.' }

export const locations: Endpoint[] = [
  location({
    method: 'post',
    path: '/locations/',
    operationId: 'createLocation',
    scope: 'integrations.locations.write',
    summary: 'Create a location',
    description:
      'A `code` that exists, active or not, is 409 `DUPLICATE`: after a retry it says that the first attempt has landed. The answer leaves `metadata` out.',
    isMapped: true,
    body: {
      schema: CreateLocation,
      example: {
        code: 'D-04/2',
        name: 'Overflow rack',
        zone: 'D',
        aisle: '04',
        metadata: { temperature: 'ambient' },
      },
    },
    answer: {
      status: 201,
      description: 'The location, without its metadata.',
      data: CreatedLocation,
      example: { id: ID, ...SUMMARY },
    },
    refuses: {
      VALIDATION_ERROR: wrong('code', 'This field is required.'),
      DUPLICATE: {
        message: 'A location with the code "D-04/2" already exists.',
        fields: { code: ['Already exists.'] },
      },
    },
  }),
  location({
    method: 'get',
    path: '/locations/',
    operationId: 'listLocations',
    scope: 'integrations.locations.read',
    summary: 'List locations',
    description: 'Active locations, newest first.',
    query: PageQuery('locations'),
    answer: {
      description: 'A page of locations.',
      data: z.array(LocationSummary),
      isPage: true,
      example: [SUMMARY],
    },
  }),
  location({
    method: 'get',
    path: '/locations/{identifier}/',
    operationId: 'findLocation',
    scope: 'integrations.locations.read',
    summary: 'Find a location',
    description: 'Inactive ones are found as well.',
    answer: { description: 'The location.', data: LocationRecord, example: LOCATION },
    refuses: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
  location({
    method: 'put',
    path: '/locations/{identifier}/',
    operationId: 'updateLocation',
    scope: 'integrations.locations.write',
    summary: 'Update a location',
    description:
      'Replaces the fields that are given. `is_active` true revives a deactivated location. Safe to repeat.',
    isMapped: true,
    body: { schema: UpdateLocation, isOptional: true, example: { name: 'Overflow' } },
    answer: {
      description: 'The location, updated.',
      data: LocationRecord,
      example: { ...LOCATION, name: 'Overflow' },
    },
    refuses: {
      VALIDATION_ERROR: wrong('zone', 'Must have at most 255 characters.'),
      SERVICE_ERROR: AMBIGUOUS,
      NOT_FOUND,
    },
  }),
  location({
    method: 'delete',
    path: '/locations/{identifier}/',
    operationId: 'deactivateLocation',
    scope: 'integrations.locations.delete',
    summary: 'Deactivate a location',
    description:
      'Sets `is_active` to false; the location is kept, and lists leave it out. Inactive already: the same answer. Safe to repeat.',
    body: { schema: NoFields, example: {} },
    answer: {
      description: 'The location, deactivated.',
      data: DeactivatedLocation,
      example: { id: ID, code: SUMMARY.code, is_active: false },
    },
    refuses: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
]

function location<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('integrations', 'Locations', telling)
}
