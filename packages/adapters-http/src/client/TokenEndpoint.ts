import type { TokenAnswer } from "./Contract.js"
import type { PlaceAccessError } from "./Failure.js"
import { OAUTH } from "./Operations.js"
import * as RefreshDecision from "./RefreshDecision.js"
import * as Retry from "./Retry.js"
import type { StoredTokens } from "./TokenStore.js"
import * as Transport from "./Transport.js"

/** The service's address, the app's credentials, and how requests are sent and retried. */
export interface TokenEndpoint {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly attempt: Transport.AttemptOptions
  readonly policy: Retry.RetryPolicy
}

export const formRequest = (
  { baseUrl, clientId, clientSecret }: Pick<TokenEndpoint, "baseUrl" | "clientId" | "clientSecret">,
  path: string,
  fields: Readonly<Record<string, string>>,
  key?: string
): Transport.WireRequest => ({
  method: "POST",
  url: baseUrl + path,
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    ...(key === undefined ? {} : { "idempotency-key": key })
  },
  body: String(
    new URLSearchParams({
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      ...fields
    })
  )
})

/** Thrown when the exchange of a code, or a refresh, fails. */
export class GrantFailure extends Error {
  override readonly name = "GrantFailure"
  override readonly cause: PlaceAccessError
  /** Whether the service may have spent the code or the refresh token. */
  readonly isUncertain: boolean

  constructor(cause: PlaceAccessError, isUncertain: boolean) {
    super(cause.message)
    this.cause = cause
    this.isUncertain = isUncertain
  }
}

/**
 * A request to the token endpoint. `key`: an `Idempotency-Key`, with which the service repeats its answer when the same
 * code is sent again.
 */
interface GrantRequest {
  readonly fields: Readonly<Record<string, string>>
  readonly key?: string
}

/**
 * Exchanges a code for tokens, or refreshes the tokens. Retries as `Retry.waitAfter` decides, until
 * `RefreshDecision.REPEATABLE_MS` after `since`, the time in milliseconds at which the first attempt began. One attempt
 * takes at most `RefreshDecision.ATTEMPT_MS`.
 * `wasUncertain`: whether an earlier attempt may have spent the refresh token. Fails with a `GrantFailure`.
 */
export const grant = async (
  endpoint: TokenEndpoint,
  { fields, key }: GrantRequest,
  since: number,
  wasUncertain: boolean
): Promise<StoredTokens> => {
  const { attempt, policy } = endpoint
  const { runtime } = attempt
  const short = { ...attempt, timeoutMs: Math.min(attempt.timeoutMs, RefreshDecision.ATTEMPT_MS) }
  const request = formRequest(endpoint, OAUTH.token.path, fields, key)
  let isUncertain = wasUncertain
  for (let attempts = 1; ; attempts++) {
    const outcome = await Transport.attempt(request, short).catch((error: unknown) => {
      if (error instanceof Transport.NoReply) return error
      throw error
    })
    if (!(outcome instanceof Transport.NoReply) && Transport.isSuccess(outcome)) return tokensOf(outcome, runtime.now())
    isUncertain ||= Transport.mayHaveTakenEffect(outcome)
    const waitMs = Retry.waitAfter(Transport.endOf(outcome), attempts, policy, runtime.random())
    const isTooLate = waitMs === undefined || runtime.now() + waitMs - since > RefreshDecision.REPEATABLE_MS
    if (isTooLate) throw new GrantFailure(failureOf(outcome), isUncertain && !isFinal(outcome))
    await runtime.sleep(waitMs, undefined)
  }
}

const failureOf = (outcome: Transport.WireReply | Transport.NoReply): PlaceAccessError =>
  outcome instanceof Transport.NoReply ? Transport.noReplyFailure(outcome) : Transport.failureOf(outcome)

/** Whether the service has refused the code or the refresh token for good. */
export const isOver = (code: string | undefined): boolean => code === "invalid_grant"
const isFinal = (outcome: Transport.WireReply | Transport.NoReply): boolean =>
  !(outcome instanceof Transport.NoReply) && Transport.isRefusal(outcome.json) && isOver(outcome.json.error)

const tokensOf = (reply: Transport.WireReply, nowMs: number): StoredTokens => {
  const { access_token, expires_in, refresh_token, scope, sub } = (reply.json ?? {}) as Partial<TokenAnswer>
  if (access_token === undefined || refresh_token === undefined || expires_in === undefined) {
    throw new GrantFailure(Transport.failureOf(reply), true)
  }
  return storedTokens({ access_token, refresh_token, expires_in, scope: scope ?? "", sub: sub ?? "" }, nowMs)
}

type Granted = Pick<TokenAnswer, "access_token" | "expires_in" | "refresh_token" | "scope" | "sub">

/** Tokens that were issued at `nowMs`, as the store keeps them. */
export const storedTokens = (
  { access_token, expires_in, refresh_token, scope, sub }: Granted,
  nowMs: number
): StoredTokens => ({ access_token, refresh_token, expires_at: nowMs + expires_in * 1_000, scope, sub })
