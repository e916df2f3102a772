import { MAPPING, PAGES, UNDO_IMPORT } from '../fixtures/pages.ts'
import { testEveryFault } from './exhaustive.ts'
import { pageSubject } from './page.ts'

// Who is not signed in yet is asked for nothing that D1 or KV has; who signs out, for nothing at all.
const AT_HOME = ['GET /dashboard/sign-in/', 'POST /dashboard/sign-out/']
// send-again.test.ts.
const SENDING = ['POST /dashboard/audit-log/:id/send-again/', 'POST /dashboard/send-again/']
// What tries deliveries is answered inside of another answer: tried-deliveries.deep.test.ts.
const TRYING = ['POST /dashboard/deliveries/:id/apply/', 'POST /dashboard/apply-deliveries/']
// What was answered to a file is told inside of another answer: test/dashboard/mapping-replay.test.ts.
const FILES = [`POST ${MAPPING}file/`, `POST ${MAPPING}file/send/`]
// What fails of a row is told inside of another answer: test/dashboard/import-faults.deep.test.ts.
const IMPORTS = ['products', 'locations'].map((many) => `POST /dashboard/import/${many}/run/`)
// The same of what undoes an import: test/dashboard/import-faults.deep.test.ts.
const UNDO = [`POST ${UNDO_IMPORT}`]
const ELSEWHERE = [...AT_HOME, ...SENDING, ...TRYING, ...FILES, ...IMPORTS, ...UNDO]

testEveryFault(
  'pages',
  PAGES.filter(({ method, path }) => !ELSEWHERE.includes(`${method} ${path}`)).map(pageSubject),
)
