import { PlaceAccessError } from "./Failure.js"
import { OAUTH } from "./Operations.js"
import * as RefreshDecision from "./RefreshDecision.js"
import { orAborted } from "./Runtime.js"
import { formRequest, grant, GrantFailure, isOver, type TokenEndpoint } from "./TokenEndpoint.js"
import type { ClientTokenStore, StoredTokens } from "./TokenStore.js"
import * as Transport from "./Transport.js"

/**
 * Reads the tokens of one connection from the store and refreshes them when needed. The store's lock lets only one part
 * of the app refresh at a time.
 */
export interface TokenSession {
  /** An access token for the next call. `refused`: the token that the service has just refused, if any. */
  readonly accessToken: (refused: string | null, signal: AbortSignal | undefined) => Promise<string>
  readonly replace: (tokens: () => Promise<StoredTokens>) => Promise<StoredTokens>
  readonly refresh: (options: { readonly evenIfUncertain: boolean }) => Promise<StoredTokens>
  readonly revoke: (signal: AbortSignal | undefined) => Promise<void>
}

export const tokenSession = (endpoint: TokenEndpoint, store: ClientTokenStore): TokenSession => {
  const { runtime } = endpoint.attempt

  const refreshLocked = (wish: RefreshDecision.RefreshWish, mustRefresh: boolean): Promise<StoredTokens> =>
    store.locked(async () => {
      // The tokens are read under the lock, because another tab or process may have refreshed them while this call
      // waited for the lock.
      const stored = await store.read()
      const refused = mustRefresh && wish.refused === null ? (stored?.access_token ?? null) : wish.refused
      const decision = RefreshDecision.decide(stored, runtime.now(), { ...wish, refused })
      switch (decision._tag) {
        case "NotConnected":
          throw notConnected()
        case "Use":
          return decision.tokens
        case "Uncertain":
          return usableOr(decision.tokens, refused, uncertain())
        case "Refresh":
          return refreshNow(decision, refused)
      }
    })

  const refreshNow = async (
    { since, tokens }: RefreshDecision.RefreshDecision & { readonly _tag: "Refresh" },
    refused: string | null
  ): Promise<StoredTokens> => {
    // `refreshing_since` is stored before the request is sent. After a crash, this field tells the next process that
    // the outcome of a refresh is unknown.
    const { refreshing_since: earlier, ...plain } = tokens
    await store.write({ ...plain, refreshing_since: since })
    try {
      const fields = { grant_type: "refresh_token", refresh_token: tokens.refresh_token }
      const fresh = await grant(endpoint, { fields }, since, earlier !== undefined)
      await store.write(fresh)
      return fresh
    } catch (error) {
      if (!(error instanceof GrantFailure)) throw error
      if (isOver(error.cause.code)) await store.write(null)
      else if (!error.isUncertain) await store.write(plain)
      return usableOr(tokens, refused, error.cause)
    }
  }

  /**
   * After a failed refresh, returns the old tokens if their access token still works. The old access token often works,
   * because a refresh begins a minute before the access token expires. Fails when the old access token does not work,
   * or when the service has refused the refresh token for good.
   */
  const usableOr = (tokens: StoredTokens, refused: string | null, failure: PlaceAccessError): StoredTokens => {
    if (isOver(failure.code) || !RefreshDecision.isUsable(tokens, runtime.now(), refused)) throw failure
    return tokens
  }

  /**
   * The refresh in flight that `accessToken` began. Other calls of `accessToken` wait for this refresh, and begin no
   * refresh of their own.
   */
  let running: Promise<StoredTokens> | undefined
  const shared = (refused: string | null): Promise<StoredTokens> =>
    (running ??= refreshLocked({ refused, evenIfUncertain: false }, false).finally(() => (running = undefined)))

  return {
    accessToken: async (refused, signal) => {
      const decision = RefreshDecision.decide(await store.read(), runtime.now(), { refused, evenIfUncertain: false })
      if (decision._tag === "NotConnected") throw notConnected()
      if (decision._tag === "Use") return decision.tokens.access_token
      // When this call is aborted, the refresh continues. The answer to the refresh contains the next refresh token,
      // which must not get lost.
      return (await orAborted(shared(refused), signal)).access_token
    },
    replace: (tokens) =>
      store.locked(async () => {
        const fresh = await tokens()
        await store.write(fresh)
        return fresh
      }),
    refresh: ({ evenIfUncertain }) => refreshLocked({ refused: null, evenIfUncertain }, true),
    revoke: (signal) => {
      let isEnded = false
      const revoked = store.locked(async () => {
        signal?.throwIfAborted()
        const tokens = await store.read()
        if (tokens === null) return
        const request = formRequest(endpoint, OAUTH.revoke.path, { token: tokens.refresh_token })
        const settled = await Transport.send(request, { ...endpoint.attempt, signal, policy: endpoint.policy })
        Transport.answerOf(OAUTH.revoke, settled)
        isEnded = true
        await store.write(null)
      })
      return orAborted(revoked, signal).catch((error: unknown) => {
        // The service has ended the connection, so an abort can no longer stop anything. The caller waits until the
        // store has removed the tokens.
        if (isEnded) return revoked
        throw error
      })
    }
  }
}

const notConnected = () =>
  new PlaceAccessError({ code: "not_connected", message: "There are no tokens: the user must connect first." })

const uncertain = () =>
  new PlaceAccessError({
    code: "refresh_uncertain",
    message:
      "An earlier refresh may have used up the refresh token. Let the user connect again, or call session.refresh({ evenIfUncertain: true })."
  })
