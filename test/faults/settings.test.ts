import { ENDPOINTS } from '../endpoints.ts'
import { endpointSubject } from './endpoint.ts'
import { testEveryFault } from './exhaustive.ts'

testEveryFault(
  'endpoints of the settings API',
  ENDPOINTS.filter(({ area }) => area === 'settings').map(endpointSubject),
)
