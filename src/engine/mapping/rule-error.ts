/** Why a single rule can never work, in words for its author. */
export class RuleError extends Error {}
