import { ENDPOINTS } from '../endpoints.ts'
import { endpointSubject } from './endpoint.ts'
import { testEveryFault } from './exhaustive.ts'

testEveryFault(ENDPOINTS.filter(({ area }) => area === 'settings').map(endpointSubject))
