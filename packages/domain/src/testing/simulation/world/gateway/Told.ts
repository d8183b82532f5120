import type { Request } from "../../Operations.js"

/** What a question is answered. */
export interface Told {
  readonly status?: number
  readonly body: Readonly<Record<string, unknown>>
  /** In words for the user's access log. */
  readonly disclosed: string | null
}

/** Changes what a question is answered, as a bug of the answer itself would: how a test plants one. */
export type SabotageAnswers = (request: Request, told: Told) => Told
