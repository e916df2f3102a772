/** Ends the program: its message, written for the user, is all that is shown. */
export class Failure extends Error {
  readonly exitCode: number
  /** What a program that reads JSON is told beside the message. */
  readonly details: object

  constructor(message: string, exitCode = 1, details: object = {}) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
    this.details = details
  }
}
