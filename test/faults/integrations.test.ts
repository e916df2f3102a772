import { ENDPOINTS } from '../fixtures/endpoints.ts'
import { endpointSubjects } from './endpoint.ts'
import { testEveryFault } from './exhaustive.ts'

testEveryFault(
  'endpoints of the integrations API',
  ENDPOINTS.filter(({ area }) => area === 'integrations').flatMap(endpointSubjects),
)
