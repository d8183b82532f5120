import type { Request } from "../../Operations.js"

/** The answer to an app's call, before the service writes the access log's entry and sends the answer. */
export interface GatewayAnswer {
  readonly status?: number
  readonly body: Readonly<Record<string, unknown>>
  /** What the app learns from the answer, as a text for the user's access log; null when the app learns nothing. */
  readonly disclosed: string | null
}

/**
 * Changes the answer to an app's call. A test plants a bug in the answer in this way, if replacing a port could not
 * cause the bug.
 */
export type SabotageAnswers = (request: Request, answer: GatewayAnswer) => GatewayAnswer
