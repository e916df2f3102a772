/** Ends the program. The user sees only its message. */
export class Failure extends Error {
  readonly exitCode: number
  /** Further members of the JSON that --json prints for the error. */
  readonly details: object

  constructor(message: string, exitCode = 1, details: object = {}) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
    this.details = details
  }
}
