import { type FailureCode, PlaceAccessError } from "./Failure.js"
import type { AppOperation } from "./Operations.js"
import * as Retry from "./Retry.js"
import type { ClientRuntime } from "./Runtime.js"

/** A request to the service. `attempt` sends the request once; `send` repeats it as often as the policy allows. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface WireReply {
  readonly status: number
  /** The body, parsed as JSON; undefined when the body is not JSON. */
  readonly json: unknown
  readonly isEmpty: boolean
  readonly requestId: string | undefined
  readonly retryAfterS: number | undefined
}

/**
 * The options of one attempt. An attempt that gets no answer fails with `NoReply`. An aborted attempt fails with the
 * reason of the signal.
 */
export interface AttemptOptions {
  readonly runtime: ClientRuntime
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Thrown when an attempt gets no answer. */
export class NoReply extends Error {
  override readonly name = "NoReply"
  /** Whether it is certain that the service never got the request, for example because no connection was made. */
  readonly isUnsent: boolean
  readonly isTimeout: boolean
  /** Whether the address was a path. Only a web page can call a path. */
  readonly isPath: boolean

  constructor(cause: unknown, isTimeout: boolean) {
    super("no answer", { cause })
    this.isTimeout = isTimeout
    this.isPath = codeOf(cause) === NOT_WHOLE
    this.isUnsent = !isTimeout && (this.isPath || UNSENT.has(codeOf(cause)))
  }
}

/** The error code with which Node.js refuses an address that is not an absolute URL. */
const NOT_WHOLE = "ERR_INVALID_URL"

/**
 * The error codes of Node.js that prove that no request was sent. Browsers give no code, so in a browser every request
 * without an answer counts as sent.
 */
const UNSENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  // The certificate of the server is not valid. TLS sends no request before it has checked the certificate.
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
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
  // The time-out also limits the reading of the answer's body.
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await runtime.fetch(url, {
      method,
      headers: { accept: "application/json", ...headers },
      ...(body === undefined ? {} : { body }),
      // Redirects are not followed, because a redirect could carry a token or a secret to another address.
      redirect: "manual",
      signal: signal === undefined ? late : AbortSignal.any([signal, late])
    })
    const text = await response.text()
    return {
      status: response.status,
      json: parse(text),
      isEmpty: text === "",
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

/**
 * The service's answer to the operation. Fails when the service refuses the request, and when the answer does not have
 * the form that the operation declares. A page with status 200, or an empty body where the service sends JSON, comes
 * from a proxy or another server.
 *
 * Some wrong answers are not noticed. For example, the service answers `session.disconnect()` with an empty 200, and an
 * empty 200 of a proxy looks the same.
 */
export const answerOf = (operation: AppOperation, settled: Settled): unknown => {
  if (isRemovedBefore(operation, settled)) return undefined
  const { emptyStatus } = operation
  const { reply } = settled
  const isPromised =
    emptyStatus === undefined ? isSuccess(reply) && isObject(reply.json) : reply.status === emptyStatus && reply.isEmpty
  if (!isPromised) throw failureOf(reply)
  return reply.json
}

const isObject = (json: unknown): json is object => typeof json === "object" && json !== null && !Array.isArray(json)

/**
 * Whether a 404 counts as success: an earlier attempt, whose answer was lost, may have removed the resource, so that
 * the last attempt found nothing to remove.
 */
const isRemovedBefore = (operation: AppOperation, { mayBeDone, reply }: Settled): boolean =>
  operation.method === "DELETE" && mayBeDone && reply.status === 404 && isRefusal(reply.json)

/** The error for a reply that is not a success, or that does not have the form which the operation declares. */
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
  isObject(json) && "error" in json && typeof json.error === "string" && "message" in json

export const noReplyFailure = ({ cause, isPath, isTimeout }: NoReply): PlaceAccessError =>
  new PlaceAccessError(
    isTimeout
      ? { code: "timeout", message: "The service did not answer in time.", cause }
      : { code: "network", message: isPath ? PATH_FAULT : "The service cannot be reached.", cause }
  )

const PATH_FAULT =
  'The address is a path, which only a web page can call: give the option baseUrl a whole address, such as "https://places.example".'

/**
 * Whether the status means success. `answerOf` also checks that the answer has the form that the operation declares.
 */
export const isSuccess = ({ status }: WireReply): boolean => status >= 200 && status < 300

/**
 * Whether the request may have taken effect: the service may have removed something, or spent a token. Two kinds of
 * error bodies of the service prove that the request had no effect: bodies with a status below 500, and bodies with the
 * code `connection_on_hold`. Other errors with a status of 500 or more prove nothing. The service also answers 503 when
 * it loses its database after the commit, and a gateway answers 502 or 504 when it has lost the answer of the service.
 */
export const mayHaveTakenEffect = (outcome: WireReply | NoReply): boolean => {
  if (outcome instanceof NoReply) return !outcome.isUnsent
  if (!isRefusal(outcome.json)) return true
  return outcome.status >= 500 && outcome.json.error !== "connection_on_hold"
}

/**
 * The last reply to a request. `mayBeDone`: whether an attempt before the last attempt may have taken effect already.
 */
export interface Settled {
  readonly reply: WireReply
  readonly mayBeDone: boolean
}

/**
 * Sends the request, and retries as the policy allows. Returns the reply, whatever its status. Fails only when no reply
 * comes or when the signal aborts.
 */
export const send = async (
  request: WireRequest,
  how: AttemptOptions & { readonly policy: Retry.RetryPolicy }
): Promise<Settled> => {
  let mayBeDone = false
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(request, how).catch((error: unknown) => {
      if (error instanceof NoReply) return error
      throw error
    })
    const isSilent = outcome instanceof NoReply
    if (!isSilent && isSuccess(outcome)) return { reply: outcome, mayBeDone }
    const waitMs = Retry.waitAfter(endOf(outcome), attempts, how.policy, how.runtime.random())
    if (waitMs === undefined) {
      if (isSilent) throw noReplyFailure(outcome)
      return { reply: outcome, mayBeDone }
    }
    mayBeDone ||= mayHaveTakenEffect(outcome)
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
