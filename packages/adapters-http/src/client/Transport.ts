import { type FailureCode, PlaceAccessError } from "./Failure.js"
import * as Retry from "./Retry.js"
import type { ClientRuntime } from "./Runtime.js"

/** A request to the service. `attempt` sends it once; `send` repeats it as often as the policy allows. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface WireReply {
  readonly status: number
  /** The body as JSON; undefined when the body is not JSON. */
  readonly json: unknown
  readonly requestId: string | undefined
  readonly retryAfterS: number | undefined
}

/**
 * The options of one attempt. An attempt fails with `NoReply` without an answer, or with the signal's reason after an
 * abort.
 */
export interface AttemptOptions {
  readonly runtime: ClientRuntime
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** The attempt had no answer. */
export class NoReply extends Error {
  override readonly name = "NoReply"
  /** Whether no connection was made, so that the service never got the request. */
  readonly isUnsent: boolean
  readonly isTimeout: boolean

  constructor(cause: unknown, isTimeout: boolean) {
    super("no answer", { cause })
    this.isTimeout = isTimeout
    this.isUnsent = !isTimeout && UNSENT.has(codeOf(cause))
  }
}

/** The error codes of Node.js for a connection that was not made. Browsers give no code. */
const UNSENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
}

export const attempt = async (
  { body, headers, method, url }: WireRequest,
  { runtime, signal, timeoutMs }: AttemptOptions
): Promise<WireReply> => {
  signal?.throwIfAborted()
  // The time-out covers the body too.
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await runtime.fetch(url, {
      method,
      headers: { accept: "application/json", ...headers },
      ...(body === undefined ? {} : { body }),
      // A redirect would carry the token to another address.
      redirect: "manual",
      signal: signal === undefined ? late : AbortSignal.any([signal, late])
    })
    const text = await response.text()
    return {
      status: response.status,
      json: parse(text),
      requestId: response.headers.get("x-request-id") ?? undefined,
      retryAfterS: Retry.retryAfterS(response.headers.get("retry-after"), runtime.now())
    }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw new NoReply(error, late.aborted)
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error of a reply that is no success. */
export const failureOf = ({ json, requestId, retryAfterS, status }: WireReply): PlaceAccessError => {
  if (!isRefusal(json)) {
    const message = `The answer (status ${status}) is not one of the service: is a proxy or another server there?`
    return new PlaceAccessError({ code: "unexpected_answer", message, status, requestId, retryAfterS })
  }
  const message = [json.message].flat().join("; ")
  return new PlaceAccessError({
    code: json.error as FailureCode,
    message: requestId === undefined ? message : `${message} (request ${requestId})`,
    status,
    requestId,
    retryAfterS,
    body: { ...json }
  })
}

/** Whether a body is an error of the service, and not, say, the page of a proxy. */
export const isRefusal = (json: unknown): json is { readonly error: string; readonly message: unknown } =>
  typeof json === "object" && json !== null && "error" in json && typeof json.error === "string" && "message" in json

export const noReplyFailure = (error: NoReply): PlaceAccessError =>
  new PlaceAccessError(
    error.isTimeout
      ? { code: "timeout", message: "The service did not answer in time.", cause: error.cause }
      : { code: "network", message: "The service cannot be reached.", cause: error.cause }
  )

export const isSuccess = ({ status }: WireReply): boolean => status >= 200 && status < 300

/** `wasSilent`: an attempt before the `reply` had no answer, so the request may have taken effect already. */
export interface Settled {
  readonly reply: WireReply
  readonly wasSilent: boolean
}

/**
 * Sends the request, and retries as the policy allows. Replies of any status are returned; only a missing reply and an
 * abort fail.
 */
export const send = async (
  request: WireRequest,
  how: AttemptOptions & { readonly policy: Retry.RetryPolicy }
): Promise<Settled> => {
  let wasSilent = false
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(request, how).catch((error: unknown) => {
      if (error instanceof NoReply) return error
      throw error
    })
    const isSilent = outcome instanceof NoReply
    if (!isSilent && isSuccess(outcome)) return { reply: outcome, wasSilent }
    const waitMs = Retry.waitAfter(endOf(outcome), attempts, how.policy, how.runtime.random())
    if (waitMs === undefined) {
      if (isSilent) throw noReplyFailure(outcome)
      return { reply: outcome, wasSilent }
    }
    wasSilent ||= isSilent
    await how.runtime.sleep(waitMs, how.signal)
  }
}

export const endOf = (outcome: WireReply | NoReply): Retry.AttemptEnd =>
  outcome instanceof NoReply
    ? { _tag: "Silent" }
    : {
        _tag: "Refused",
        status: outcome.status,
        code: isRefusal(outcome.json) ? outcome.json.error : undefined,
        retryAfterS: outcome.retryAfterS
      }
