import * as z from 'zod'
import { NoFields } from '../../document/fields.ts'
import {
  CreateLocation,
  LocationPage,
  LocationRecord,
  UpdateLocation,
} from '../../resources/locations/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, type EndpointSpec, endpoint } from '../endpoint.ts'
import { because, wrong } from '../errors.ts'

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
  code: 'D-05/1',
  name: 'Overflow rack',
  zone: 'D',
  aisle: '05',
  is_active: true,
}
const LOCATION = { id: ID, ...SUMMARY, metadata: { temperature: 'ambient' } }

const NOT_FOUND = because('UNKNOWN_RECORD', { message: 'No location has the code "D-05/1".' })
const AMBIGUOUS = because('AMBIGUOUS_IDENTIFIER', {
  message: 'Several locations have the zone "D", so it identifies none of them.',
})

export const locations: Endpoint[] = [
  location({
    method: 'post',
    path: '/locations/',
    operationId: 'createLocation',
    summary: 'Create a location',
    description:
      'Creates a location. A `code` that exists, even if inactive, returns 409 `DUPLICATE`. On a retry this means that the first attempt succeeded. The response leaves `metadata` out.',
    isMapped: true,
    body: {
      schema: CreateLocation,
      example: {
        code: 'D-05/1',
        name: 'Overflow rack',
        zone: 'D',
        aisle: '05',
        metadata: { temperature: 'ambient' },
      },
    },
    answer: {
      status: 201,
      description: 'The location, without its metadata.',
      data: CreatedLocation,
      example: { id: ID, ...SUMMARY },
    },
    errors: {
      VALIDATION_ERROR: wrong('code', 'This field is required.'),
      DUPLICATE: because('ALREADY_EXISTS', {
        message: 'A location with the code "D-05/1" already exists.',
        fields: { code: ['Already exists.'] },
      }),
    },
  }),
  location({
    method: 'get',
    path: '/locations/',
    operationId: 'listLocations',
    summary: 'List locations',
    description:
      'Returns the active locations, newest first; with `is_active` the inactive ones, or all. Unlike other lists, this one shows no `id`: the specification lists its fields. `GET /locations/{code}/` shows it. A cursor belongs to the `is_active` that it came with.',
    query: LocationPage,
    answer: {
      description: 'A page of locations.',
      data: z.array(LocationSummary),
      isPage: true,
      isExport: true,
      example: [SUMMARY],
    },
  }),
  location({
    method: 'get',
    path: '/locations/{identifier}/',
    operationId: 'findLocation',
    summary: 'Retrieve a location',
    description: 'Returns the location, even if it is inactive.',
    answer: { description: 'The location.', data: LocationRecord, example: LOCATION },
    errors: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
  location({
    method: 'put',
    path: '/locations/{identifier}/',
    operationId: 'updateLocation',
    summary: 'Update a location',
    description:
      'Replaces the given fields. `id` and `code` cannot be changed: other values than the location has return `VALIDATION_ERROR`. `is_active` true reactivates a deactivated location. You can repeat this request.',
    isMapped: true,
    body: { schema: UpdateLocation, isOptional: true, example: { name: 'Overflow' } },
    answer: {
      description: 'The updated location.',
      data: LocationRecord,
      example: { ...LOCATION, name: 'Overflow' },
    },
    errors: {
      VALIDATION_ERROR: wrong('zone', 'Must have at most 255 characters.'),
      SERVICE_ERROR: AMBIGUOUS,
      NOT_FOUND,
    },
  }),
  location({
    method: 'delete',
    path: '/locations/{identifier}/',
    operationId: 'deactivateLocation',
    summary: 'Deactivate a location',
    description:
      'Sets `is_active` to false. The location is kept, but lists leave it out. You can repeat this request.',
    body: { schema: NoFields, example: {} },
    answer: {
      description: 'The deactivated location.',
      data: DeactivatedLocation,
      example: { id: ID, code: SUMMARY.code, is_active: false },
    },
    errors: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
]

function location<Body extends z.ZodType, Data extends z.ZodType>(spec: EndpointSpec<Body, Data>) {
  return endpoint('integrations', 'Locations', { ...spec, isVersioned: true })
}
