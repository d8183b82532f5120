import {
  type ClientRuntime,
  createClient,
  memoryTokenStore,
  type PlaceAccessOptions,
  type StoredTokens
} from "@place-access/adapters-http/client"
import type { Scope } from "@place-access/domain/shared"
import { ConsentFlow } from "@place-access/domain/testing"
import type { Connected } from "../support/connected.js"
import type { World } from "../support/World.js"

/** The address of a request as the client's runtime gets it. */
const addressOf = (input: string | URL | Request): string => (input instanceof Request ? input.url : String(input))

/** What a test does with each request: it passes the request on, loses the answer, or answers for the service. */
export type Meddle = (
  request: { readonly method: string; readonly path: string; readonly init: RequestInit },
  pass: () => Promise<Response>
) => Promise<Response>

interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/**
 * A runtime with the clock of the test: a wait advances this clock and takes no real time. `sent` lists every request.
 */
export interface TestRuntime extends ClientRuntime {
  readonly sent: Array<SentRequest>
  readonly waits: Array<number>
}

export const runtimeOn = (world: World, meddle: Meddle = (_, pass) => pass()): TestRuntime => {
  const sent: Array<SentRequest> = []
  const waits: Array<number> = []
  return {
    sent,
    waits,
    now: world.clock.now,
    random: () => 0.5,
    sleep: (millis, signal) => {
      signal?.throwIfAborted()
      waits.push(millis)
      world.clock.advance(millis)
      return Promise.resolve()
    },
    fetch: async (input, init = {}) => {
      const url = new URL(addressOf(input as string))
      const path = url.pathname + url.search
      const method = init.method ?? "GET"
      sent.push({
        method,
        path,
        headers: new Headers(init.headers),
        body: typeof init.body === "string" ? init.body : ""
      })
      return meddle({ method, path: url.pathname, init }, () => fetch(url, init))
    }
  }
}

export const refreshes = ({ sent }: TestRuntime): number =>
  sent.filter(({ body, path }) => path === "/v1/oauth/token" && body.includes("grant_type=refresh_token")).length

/** Simulates that the request reaches the service and that the answer is lost. */
export const losingAnswer = async (pass: () => Promise<Response>): Promise<Response> => {
  await (await pass()).text()
  throw new TypeError("fetch failed", { cause: Object.assign(new Error("socket"), { code: "ECONNRESET" }) })
}

/** Simulates a gateway that answers in place of the service. */
export const gateway = (status: number): Promise<Response> =>
  Promise.resolve(new Response("<h1>Sorry</h1>", { status }))

/**
 * Simulates that no connection to the service can be made, so that the service gets no request. With the default
 * `code`, no server listens at the address.
 */
export const refusing = (code = "ECONNREFUSED"): Promise<Response> =>
  Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code }) }))

/** An error of the service, whose answer says to wait for five seconds. */
export const answering = (statusCode: number, error: string): Promise<Response> =>
  Promise.resolve(
    Response.json({ statusCode, error, message: "soon" }, { status: statusCode, headers: { "retry-after": "5" } })
  )

export const optionsFor = (world: World, { app, clientSecret }: Connected): PlaceAccessOptions => ({
  baseUrl: world.url,
  clientId: app.id,
  clientSecret
})

/** A client whose user has approved the given scopes. */
export const connectedClient = async (
  world: World,
  app: Connected,
  scopes: ReadonlyArray<Scope.Scope>,
  meddle?: Meddle
) => {
  const runtime = runtimeOn(world, meddle)
  const store = memoryTokenStore()
  const client = createClient({ ...optionsFor(world, app), store, runtime })
  await client.authorization.complete(await callback(world, app, scopes), pendingOf(app))
  return { client, runtime, store, tokens: async (): Promise<StoredTokens> => (await store.read())! }
}

/** The callback address, to which the user comes back after approving the app. */
export const callback = async (world: World, app: Connected, scopes: ReadonlyArray<Scope.Scope>): Promise<string> => {
  // The clock moves on, so that the connection that the user now approves is newer than every earlier connection.
  world.clock.advance(1)
  const url = new URL(app.app.redirectUris[0] ?? "")
  url.searchParams.set("code", await app.approve(scopes))
  url.searchParams.set("state", "the-state")
  return url.href
}

export const pendingOf = ({ app }: Connected) => ({
  state: "the-state",
  codeVerifier: ConsentFlow.VERIFIER,
  redirectUri: app.redirectUris[0] ?? ""
})
