import type { AppScope } from "./Contract.js"
import { PlaceAccessError } from "./Failure.js"

/**
 * The app's part of the authorization code flow with PKCE (RFC 7636, RFC 9207): makes the address of the consent page,
 * and reads the code from the address to which the user comes back. Web Crypto makes the secrets, so this module runs
 * in browsers, workers and Node.
 */

/** The values of one sign-in, which the app keeps in the user's session until the user comes back. */
export interface PendingAuthorization {
  readonly state: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

export interface AuthorizationRequest {
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<AppScope>
  /** The app's own id of the user, which the app reads back in `external_user_id`. */
  readonly externalUserId?: string | undefined
}

export interface StartedAuthorization {
  /** The address of the consent page, to which the app sends the user's browser. */
  readonly url: string
  readonly pending: PendingAuthorization
}

/** 256 random bits as text, in the alphabet that the service and RFC 7636 accept. */
const secret = (): string => base64url(globalThis.crypto.getRandomValues(new Uint8Array(32)))

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** The PKCE `code_challenge` of a code verifier: the verifier's SHA-256 in base64url (RFC 7636 §4.2, method S256). */
export const challengeOf = async (codeVerifier: string): Promise<string> => {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier))
  return base64url(new Uint8Array(digest))
}

/**
 * Parses an absolute URL. Throws a `TypeError` with the text `fault` for any other text. The caller writes in `fault`
 * which value of the app is wrong.
 */
export const wholeAddress = (address: string | URL, fault: string): URL => {
  try {
    return new URL(address)
  } catch {
    throw new TypeError(fault)
  }
}

export const startAuthorization = async (
  authorizeUrl: URL,
  clientId: string,
  { externalUserId, redirectUri, scopes }: AuthorizationRequest
): Promise<StartedAuthorization> => {
  const pending = { state: secret(), codeVerifier: secret(), redirectUri }
  const url = new URL(authorizeUrl)
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state: pending.state,
    code_challenge: await challengeOf(pending.codeVerifier),
    code_challenge_method: "S256",
    ...(externalUserId === undefined ? {} : { external_user_id: externalUserId })
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, pending }
}

/**
 * Reads the authorization code from the callback address. Throws when the address is not an absolute URL, has an error,
 * or has no code. Also throws when `state` differs from the `state` of `pending`, or `iss` differs from `issuer` (if
 * the app has set `issuer`).
 */
export const codeOf = (callback: string | URL, pending: PendingAuthorization, issuer: string | undefined): string => {
  // The address contains the code, so the error does not repeat the address.
  const fault = 'The callback must be a whole address, such as "https://app.example/callback?code=…"'
  const { searchParams } = wholeAddress(callback, fault)
  // The state is checked first: a callback with another state belongs to another sign-in, even when the callback
  // contains an error.
  if (searchParams.get("state") !== pending.state) throw mismatch("the state differs")
  // A missing `iss` is refused too (RFC 9207 §2.4): the service always answers this client with `iss`, and a hostile
  // service could leave `iss` out on purpose.
  if (issuer !== undefined && searchParams.get("iss") !== issuer) throw mismatch("another service sent the user back")
  if (searchParams.has("error")) {
    const error = searchParams.get("error") ?? ""
    const message = `The user did not connect: ${/^[a-z_]{1,60}$/.test(error) ? error : "unknown error"}.`
    throw new PlaceAccessError({ code: "access_denied", message, body: { error } })
  }
  const code = searchParams.get("code")
  if (code === null) throw mismatch("it has no code")
  return code
}

const mismatch = (why: string) =>
  new PlaceAccessError({ code: "callback_mismatch", message: `The user came back with a wrong address: ${why}.` })
