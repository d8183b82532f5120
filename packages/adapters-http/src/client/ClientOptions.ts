import type { ClientRuntime } from "./Runtime.js"
import type { ClientTokenStore } from "./TokenStore.js"

export interface PlaceAccessOptions {
  /** Such as `https://places.example`. In a web page: the path at which the app's server forwards calls. */
  readonly baseUrl: string
  readonly clientId: string
  /** For servers only. A web page leaves the secret out, and the app's server adds it to forwarded calls. */
  readonly clientSecret?: string | undefined
  /** Where the tokens of this connection are kept. Default: in memory. */
  readonly store?: ClientTokenStore | undefined
  /** The consent page. Default: `/authorize` at `baseUrl`. */
  readonly authorizeUrl?: string | undefined
  /** The service's `issuer`. When it is given, a user who comes back from another service is refused. */
  readonly issuer?: string | undefined
  /** How many attempts may follow the first. Default: 2. */
  readonly retries?: number | undefined
  /** How long one attempt may take. Default: 30,000 ms. */
  readonly timeoutMs?: number | undefined
  /** A call whose `Retry-After` is longer fails at once. Default: 60,000 ms. */
  readonly longestWaitMs?: number | undefined
  /** For tests and unusual surroundings. */
  readonly runtime?: Partial<ClientRuntime> | undefined
}

export interface CallOptions {
  /** Ends the call, its waits and retries included. A refresh that the call started goes on. */
  readonly signal?: AbortSignal | undefined
}

export interface CreateOptions extends CallOptions {
  /**
   * Names the request: when your process dies and repeats the call with the same key within 24 hours, nothing is made
   * twice. Default: a new key for each call, which covers the client's own retries.
   */
  readonly idempotencyKey?: string | undefined
}
