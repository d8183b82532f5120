import type { Request } from "../../Operations.js"

/** The answer to an app's call, before it is entered in the access log and sent. */
export interface GatewayAnswer {
  readonly status?: number
  readonly body: Readonly<Record<string, unknown>>
  /** What the answer disclosed, in words for the user's access log; null: nothing. */
  readonly disclosed: string | null
}

/**
 * Changes the answer to a call. A test plants a bug in the answer itself this way, which no replaced port could cause.
 */
export type SabotageAnswers = (request: Request, told: GatewayAnswer) => GatewayAnswer
