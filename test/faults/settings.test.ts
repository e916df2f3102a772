import { ENDPOINTS, type Endpoint } from '../fixtures/endpoints.ts'
import { endpointSubjects } from './endpoint.ts'
import { testEveryFault } from './exhaustive.ts'

// What is sent again is answered inside of an answer: send-again.test.ts. So are deliveries that are tried; those that wait
// are in deliveries.test.ts.
const isPlain = ({ path }: Endpoint) =>
  !path.endsWith('/send-again/') && !path.includes('deliveries/')

testEveryFault(
  'endpoints of the settings API',
  ENDPOINTS.filter(({ area }) => area === 'settings')
    .filter(isPlain)
    .flatMap(endpointSubjects),
)
