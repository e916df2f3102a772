import { D1_TRANSIENT, type Fault } from '../fixtures/fault.ts'
import { normalized } from '../fixtures/normalized.ts'
import { SOON_MS, UNTOLD } from './cases.ts'
import type { Trial } from './trial.ts'

// The caller is looked up first.
const WRITE = 1

/**
 * What is wrong with a trial under a fault, beside the same one without: an answer that is not the
 * truth, an effect that is not whole, an audit row that is missing, doubled or says otherwise. Empty
 * where all is well.
 */
export function untruths(trial: Trial, sound: Trial, fault: Fault, mayRefuse = false): string[] {
  const { answer, effect } = trial
  const done = effect === sound.effect
  const isSound = answer.status === sound.answer.status
  const wrong: [boolean, string][] = [
    [!trial.hit, 'the fault met no call'],
    [!done && effect !== '', `happened in part: ${effect}`],
    [isSound && !done, 'says that it happened, and it has not'],
    [
      isSound && normalized(answer.text) !== normalized(sound.answer.text),
      `is answered otherwise: ${answer.text}`,
    ],
    [!isSound && !isExcused(trial, fault), `is answered ${answer.status}: ${answer.text}`],
    [
      !isSound && !mayRefuse && mustSucceed(sound, fault),
      `could be answered, and is ${answer.status}`,
    ],
    [!isSound && saysOtherwise(trial, sound), `says otherwise: ${answer.text}`],
    [leaks(trial), `gives away what is nobody's business: ${answer.text}`],
    ...auditFaults(trial, sound, fault),
  ]
  return wrong.filter(([is]) => is).map(([, what]) => what)
}

/** 503 that says when to come back, or 500 for what nobody foresaw. */
function isExcused({ answer }: Trial, fault: Fault): boolean {
  const { status, headers } = answer
  if (status === 500) return 'message' in fault && fault.message === UNTOLD
  return status === 503 && /^[1-9]\d*$/.test(headers.get('Retry-After') ?? '')
}

/** Only what the answer rests on may refuse it, and that only where it fails for long. */
function mustSucceed(sound: Trial, fault: Fault): boolean {
  // Documents are read and deleted there.
  if (fault.on === 'r2') return fault.how === 'late' && fault.ms <= SOON_MS
  if (fault.on !== 'd1' || (fault.how === 'late' && fault.ms <= SOON_MS)) return true
  if (fault.nth >= roundTrips(sound)) return true
  if (sound.effect === '' || fault.nth !== WRITE || fault.times > 1) return false
  const acted = fault.how === 'after' || ('acts' in fault && [true, 'at_once'].includes(fault.acts))
  return acted || ('message' in fault && D1_TRANSIENT.includes(fault.message))
}

/** Of D1, before the answer; what follows is afterwards. */
function roundTrips({ answer }: Trial): number {
  return Number(/round trips (\d+)/.exec(answer.headers.get('Server-Timing') ?? '')?.[1])
}

function saysOtherwise({ answer, effect }: Trial, sound: Trial): boolean {
  const nothing = answer.text.includes('Nothing was changed') && effect !== ''
  const done = answer.text.includes('was applied, but') && effect !== sound.effect
  return nothing || done
}

function leaks({ answer, logged }: Trial): boolean {
  return /D1_|SQLITE_[A-Z]+:|secret_column|settings_version failed/.test(
    answer.text + JSON.stringify(logged),
  )
}

function auditFaults(trial: Trial, sound: Trial, { on, nth }: Fault): [boolean, string][] {
  const { answer, audited, logged, effect } = trial
  const [row, ...more] = audited
  // Of a form that leads on, the row says what the form did.
  const [soundRow] = sound.audited
  const isAsSound = row?.status === soundRow?.status
  const said = answer.status === sound.answer.status ? isAsSound : row?.status === answer.status
  // A write that has changed nothing leaves its row only, and 503 may say that nobody knows.
  const isUntold = answer.body?.error?.reason === 'WRITE_UNKNOWN'
  const landed = isAsSound && effect === sound.effect && (effect !== '' || isUntold)
  const told = logged.some(
    ({ event, request_id }) =>
      event === 'audit_row_not_stored' && request_id === answer.headers.get('X-Request-Id'),
  )
  // Nobody knows the caller then, and so no tenant whose log it could be.
  const isStranger = on === 'd1' && nth === 0 && answer.status >= 500
  const isWrite = sound.effect !== ''
  return [
    [more.length > 0, `has ${audited.length} audit rows`],
    [!row && !told && !isStranger, 'has no audit row'],
    [row !== undefined && told, 'has an audit row, and a line that says it has none'],
    [row !== undefined && !said && !landed, `has an audit row that says ${row?.status}`],
    [isWrite && !row && effect !== '', 'happened without its audit row'],
    // The row of what waits says what refused it.
    [
      isWrite && !isAsSound && (row?.status ?? 500) >= 400 && effect !== '',
      'happened, and its row says no',
    ],
  ]
}
