import type { ClientRuntime } from "./Runtime.js"
import type { ClientTokenStore } from "./TokenStore.js"

export interface PlaceAccessOptions {
  /**
   * The address of the service, such as `https://places.example`. In a web page: a path on the app's own server, which
   * forwards the calls to the service.
   */
  readonly baseUrl: string
  readonly clientId: string
  /**
   * The client secret, for servers only. A web page leaves the secret out, and the app's server adds the secret to the
   * calls that the server forwards.
   */
  readonly clientSecret?: string | undefined
  /** Where the tokens of the connection are kept. Default: in memory. */
  readonly store?: ClientTokenStore | undefined
  /**
   * The address of the consent page. Default: `/authorize` at `baseUrl`. Required for `authorization.start` when
   * `baseUrl` is a path.
   */
  readonly authorizeUrl?: string | undefined
  /**
   * The service's `issuer`. When the app sets it, the client refuses a callback address with another `iss` or without
   * `iss`.
   */
  readonly issuer?: string | undefined
  /** How many retries may follow the first attempt. Default: 2. */
  readonly retries?: number | undefined
  /**
   * How long one attempt may take. Default: 30,000 ms. A refresh and the exchange of a code get at most 8,000 ms for
   * each attempt, because the service repeats the answers to these two requests only for 30 s.
   */
  readonly timeoutMs?: number | undefined
  /**
   * The longest wait before a retry. When the service asks for a longer wait (`Retry-After`), the call fails
   * immediately. Default: 60,000 ms.
   */
  readonly longestWaitMs?: number | undefined
  /** Replaces functions such as `fetch` and the clock, for tests, and for environments that lack these functions. */
  readonly runtime?: Partial<ClientRuntime> | undefined
}

export interface CallOptions {
  /** Aborts the call, its waits and retries included. A refresh of the tokens that the call started continues. */
  readonly signal?: AbortSignal | undefined
}

export interface CreateOptions extends CallOptions {
  /**
   * The key that identifies the request: when your process crashes, restarts, and repeats the call with the same key
   * within 24 hours, nothing is created twice. Default: a new key for each call, which covers the client's own retries.
   */
  readonly idempotencyKey?: string | undefined
}
