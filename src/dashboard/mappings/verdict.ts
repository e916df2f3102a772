import type { Trial } from './trial.ts'

type Tone = 'good' | 'bad' | 'none'

export function verdictOf(trial: Trial): [Tone, string] {
  if (trial.state === 'none') return ['none', 'There is no document to try the rules on yet.']
  if (trial.state === 'unreadable') return ['bad', `The document cannot be read. ${trial.fault}`]
  if (trial.state === 'faulty') return ['bad', 'The mapping cannot be saved yet.']
  const { problems, errors, would_answer } = trial.result
  if (problems.length > 0) {
    return ['bad', 'This document would be refused: the mapping does not fit it.']
  }
  if (would_answer.code === 'VALIDATION_ERROR') {
    return ['bad', 'This document would be refused: the record is not valid.']
  }
  if (would_answer.code !== null) {
    return [
      'bad',
      'The mapping fits and can be saved, but this document would be refused as the data stands now.',
    ]
  }
  if (errors.length > 0) {
    return ['bad', 'Some rows of this document would be refused, the others accepted.']
  }
  return trial.lacked === undefined
    ? ['good', 'This document would be accepted.']
    : ['good', 'The record is valid. Whether the data allows it was not looked up.']
}
