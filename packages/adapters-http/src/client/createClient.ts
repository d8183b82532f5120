import {
  type AuthorizationRequest,
  codeOf,
  type PendingAuthorization,
  startAuthorization,
  type StartedAuthorization,
  wholeAddress
} from "./Authorization.js"
import { caller } from "./Calls.js"
import type { CallOptions, CreateOptions, PlaceAccessOptions } from "./ClientOptions.js"
import type * as Contract from "./Contract.js"
import { OAUTH, OPERATIONS } from "./Operations.js"
import { type Pages, pagesOf } from "./Pages.js"
import { runtimeOf } from "./Runtime.js"
import { tokenSession } from "./Session.js"
import { testPeopleOf } from "./TestPeople.js"
import { grant, GrantFailure, storedTokens, type TokenEndpoint } from "./TokenEndpoint.js"
import { memoryTokenStore, type StoredTokens } from "./TokenStore.js"
import * as Transport from "./Transport.js"

/** The user and the scopes of the stored tokens. The tokens themselves stay in the store. */
export interface ConnectedAs {
  readonly sub: string
  readonly scopes: ReadonlyArray<string>
}

export type PlaceAccessClient = ReturnType<typeof createClient>

/**
 * A client for one connection: one user's approval of your app. A server makes a client for each of its users, and each
 * client has its own store.
 */
export const createClient = (options: PlaceAccessOptions) => {
  const baseUrl = baseOf(options.baseUrl)
  const { clientId, longestWaitMs = 60_000, retries = 2, store = memoryTokenStore(), timeoutMs = 30_000 } = options
  const runtime = runtimeOf(options.runtime ?? {})
  const endpoint: TokenEndpoint = {
    baseUrl,
    clientId,
    clientSecret: options.clientSecret,
    attempt: { runtime, timeoutMs },
    policy: { retries, longestWaitMs }
  }
  const session = tokenSession(endpoint, store)
  const call = caller(endpoint, session)

  const exchange = async (code: string, { codeVerifier, redirectUri }: PendingAuthorization): Promise<StoredTokens> => {
    const fields = { grant_type: "authorization_code", code, code_verifier: codeVerifier, redirect_uri: redirectUri }
    try {
      // The service repeats its answer to an exchange with the same key for 30 seconds. So the client can retry the
      // exchange of a code, as it retries a refresh.
      const key = globalThis.crypto.randomUUID()
      return await grant(endpoint, { fields, key }, runtime.now(), false)
    } catch (error) {
      throw error instanceof GrantFailure ? error.cause : error
    }
  }

  const pages = <Page extends { readonly nextCursor: string | null }, Item>(
    operation: Parameters<typeof call>[0],
    query: object,
    options: CallOptions | undefined,
    itemsOf: (page: Page) => ReadonlyArray<Item>
  ): Pages<Item, Page> =>
    pagesOf(
      (cursor) => call<Page>(operation, { query: cursor === undefined ? query : { ...query, cursor }, options }),
      itemsOf
    )

  return {
    authorization: {
      /** The address of the consent page, and the values to keep until the user comes back. */
      start: async (request: AuthorizationRequest): Promise<StartedAuthorization> =>
        startAuthorization(consentPage(baseUrl, options.authorizeUrl), clientId, request),
      /**
       * Exchanges the code in the callback address for tokens, and stores them. While no tokens are stored, the client
       * can make no calls about the user.
       */
      complete: async (callback: string | URL, pending: PendingAuthorization): Promise<ConnectedAs> => {
        const code = codeOf(callback, pending, options.issuer)
        return connectedAs(await session.replace(() => exchange(code, pending)))
      },
      /** Stores tokens that your app has just got in another way, such as the tokens of a new test person. */
      useTokens: async (tokens: Contract.TokenAnswer): Promise<ConnectedAs> =>
        connectedAs(await session.replace(() => Promise.resolve(storedTokens(tokens, runtime.now())))),
      /** The addresses of the service's OAuth endpoints, and what these endpoints support (RFC 8414). */
      metadata: async ({ signal }: CallOptions = {}): Promise<Contract.ServerMetadata> => {
        const request = { method: OAUTH.metadata.method, url: baseUrl + OAUTH.metadata.path, headers: {} }
        const settled = await Transport.send(request, { ...endpoint.attempt, signal, policy: endpoint.policy })
        return Transport.answerOf(OAUTH.metadata, settled) as Contract.ServerMetadata
      }
    },

    session: {
      /** The user and the scopes of the stored tokens; null when the user has not connected. */
      connectedAs: async (): Promise<ConnectedAs | null> => {
        const tokens = await store.read()
        return tokens === null ? null : connectedAs(tokens)
      },
      /**
       * Refreshes the tokens now. The client refreshes by itself when necessary, so few apps need this function.
       *
       * `evenIfUncertain`: sends the refresh token although an earlier refresh, whose answer was lost, may have spent
       * the token. If the token was spent more than 30 seconds before, the service treats the token as stolen, ends the
       * connection and writes to the user, who has to connect again. Without `evenIfUncertain`, the user has to connect
       * again whether the token was spent or not.
       */
      refresh: async ({ evenIfUncertain = false }: { readonly evenIfUncertain?: boolean } = {}): Promise<ConnectedAs> =>
        connectedAs(await session.refresh({ evenIfUncertain })),
      /**
       * Ends the connection at the service and removes the tokens. Idempotent. After an abort or an error, the
       * connection may have ended already, because the service may have got the request. In this case, call this
       * function again.
       */
      disconnect: ({ signal }: CallOptions = {}): Promise<void> => session.revoke(signal)
    },

    /** Reads the connection: its scopes and the end dates of the scopes. */
    me: (options?: CallOptions) => call<Contract.ConnectionAnswer>(OPERATIONS.me, { options }),

    answers: {
      /** Which of the shared places the user is at. */
      currentPlace: (query: Contract.MaxAge = {}, options?: CallOptions) =>
        call<Contract.CurrentPlaceAnswer>(OPERATIONS.currentPlace, { query, options }),
      /** The places that the user shares with the app. */
      places: (options?: CallOptions) => call<Contract.SharedPlacesAnswer>(OPERATIONS.places, { options }),
      /** Whether the user is at one shared place. */
      presence: (placeId: string, query: Contract.MaxAge = {}, options?: CallOptions) =>
        call<Contract.PresenceAnswer>(OPERATIONS.presence, { path: { place_id: placeId }, query, options }),
      /** Whether the user is inside a circle that the app draws. */
      verifyZone: (body: Contract.ZoneQuestion, options?: CallOptions) =>
        call<Contract.ZoneAnswer>(OPERATIONS.verifyZone, { body, options }),
      /** Which of the shared places the user was at, at a moment. */
      placeAt: (query: Contract.AtMoment, options?: CallOptions) =>
        call<Contract.PlaceLookupAnswer>(OPERATIONS.lookUpPlace, { query, options })
    },

    /** Visits to the shared places, newest first. */
    visits: (query: Contract.VisitsListQuery = {}, options?: CallOptions) =>
      pages<Contract.VisitsPage, Contract.SharedVisit>(OPERATIONS.visits, query, options, ({ visits }) => visits),

    /**
     * The calls for sensitive scopes: coordinates, and the days that have readings. Each call names a purpose of the
     * app, and the user reads the purpose in the access log.
     */
    locations: {
      latest: (query: Contract.ForPurpose, options?: CallOptions) =>
        call<Contract.LatestLocationAnswer>(OPERATIONS.latestLocation, { query, options }),
      at: (query: Contract.LocationLookupQuery, options?: CallOptions) =>
        call<Contract.LocationLookupAnswer>(OPERATIONS.lookUpLocation, { query, options }),
      /** The readings between two moments, oldest first. */
      between: (query: Contract.LocationsQuery, options?: CallOptions) =>
        pages<Contract.LocationsPage, Contract.Coordinates>(OPERATIONS.locations, query, options, ({ fixes }) => fixes),
      days: (query: Contract.LocationDaysQuery, options?: CallOptions) =>
        call<Contract.LocationDaysAnswer>(OPERATIONS.locationDays, { query, options })
    },

    /** Rules on places that the user shares. */
    placeRules: {
      create: (body: Contract.NewPlaceRuleBody, options?: CreateOptions) =>
        call<Contract.PlaceRuleAnswer>(OPERATIONS.createPlaceRule, { body, options }),
      list: (query: Contract.PageQuery = {}, options?: CallOptions) =>
        pages<Contract.PlaceRulesPage, Contract.PlaceRuleAnswer>(OPERATIONS.placeRules, query, options, rulesOf),
      remove: (id: string, options?: CallOptions) => call<void>(OPERATIONS.removePlaceRule, { path: { id }, options }),
      /** The newest evaluations of the rule. Each evaluation says why the rule fired or did not fire. */
      evaluations: (id: string, options?: CallOptions) =>
        call<Contract.EvaluationsAnswer>(OPERATIONS.placeRuleEvaluations, { path: { id }, options })
    },

    /** Rules on circles that the app draws. */
    zoneRules: {
      create: (body: Contract.NewZoneRuleBody, options?: CreateOptions) =>
        call<Contract.ZoneRuleAnswer>(OPERATIONS.createZoneRule, { body, options }),
      list: (query: Contract.PageQuery = {}, options?: CallOptions) =>
        pages<Contract.ZoneRulesPage, Contract.ZoneRuleAnswer>(OPERATIONS.zoneRules, query, options, rulesOf),
      remove: (id: string, options?: CallOptions) => call<void>(OPERATIONS.removeZoneRule, { path: { id }, options }),
      evaluations: (id: string, options?: CallOptions) =>
        call<Contract.EvaluationsAnswer>(OPERATIONS.zoneRuleEvaluations, { path: { id }, options })
    },

    /**
     * Made-up people of an app that is not in production, and their trips. The calls about these people need the client
     * secret.
     */
    testPeople: testPeopleOf(endpoint),

    /** @deprecated Webhooks from before apps had endpoints. Register an endpoint of the app instead. */
    subscriptions: {
      create: (url: string, options?: CreateOptions) =>
        call<Contract.SubscriptionAnswer>(OPERATIONS.createSubscription, { body: { url }, options }),
      remove: (id: string, options?: CallOptions) =>
        call<void>(OPERATIONS.removeSubscription, { path: { id }, options })
    }
  }
}

/**
 * The address of the service, without slashes at its end. Also accepts a path, although calls with a path work only in
 * a web page: a program may make the client on a server, and use the client in a web page.
 */
const baseOf = (baseUrl: string): string => {
  const example = 'an address such as "https://places.example", or in a web page a path such as "/places"'
  const fault = `The option baseUrl must be ${example}: it is ${JSON.stringify(baseUrl)}`
  if (!/^(?:https?:\/\/|\/)/i.test(baseUrl)) throw new TypeError(fault)
  if (!baseUrl.startsWith("/")) wholeAddress(baseUrl, fault)
  return baseUrl.replace(/\/+$/, "")
}

const consentPage = (baseUrl: string, given: string | undefined): URL => {
  const needed = 'The option authorizeUrl must be a whole address, such as "https://places.example/authorize"'
  const why = given === undefined ? ", because baseUrl is a path" : `: it is ${JSON.stringify(given)}`
  return wholeAddress(given ?? `${baseUrl}/authorize`, needed + why)
}

const rulesOf = <Rule>({ rules }: { readonly rules: ReadonlyArray<Rule> }): ReadonlyArray<Rule> => rules

const connectedAs = ({ scope, sub }: StoredTokens): ConnectedAs => ({
  sub,
  scopes: scope === "" ? [] : scope.split(" ")
})
