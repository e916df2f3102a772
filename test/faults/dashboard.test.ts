import { PAGES } from '../dashboard/pages.ts'
import { testEveryFault } from './exhaustive.ts'
import { pageSubject } from './page.ts'

// Who is not signed in yet is asked for nothing that D1 or KV has; who signs out, for nothing at all.
const AT_HOME = ['GET /dashboard/sign-in/', 'POST /dashboard/sign-out/']

testEveryFault(
  'pages',
  PAGES.filter(({ method, path }) => !AT_HOME.includes(`${method} ${path}`)).map(pageSubject),
)
