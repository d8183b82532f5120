import { type Account, createAccount, signIn } from "@place-access/domain/accounts"
import * as Accounts from "@place-access/domain/accounts"
import type { App } from "@place-access/domain/apps"
import { figuresRecorder, type Tally } from "@place-access/domain/figures"
import { type ConsentChoices, decideConsent, startConsent } from "@place-access/domain/consent"
import { exchangeCode } from "@place-access/domain/tokens"
import { Fixtures } from "@place-access/domain/testing"
import { Effect, Exit, Layer, LogLevel, Logger, Scope } from "effect"
import { createHash, randomBytes } from "node:crypto"
import * as HttpLive from "@place-access/adapters-http/HttpLive"
import type { ServiceOptions } from "@place-access/adapters-http/HttpOptions"
import { settableClock, type SettableClock } from "./clock.js"
import { type Log, serve } from "./serve.js"
import { type Ports, Stores } from "./stores.js"
import { type Answer, call, jsonBody } from "./wire.js"
import { Telemetry } from "@place-access/domain/shared"
import { optionsAt } from "./options.js"

const START = "2026-03-01T12:00:00.000Z"
export const PASSWORD = "correct horse battery"

/** The API and the pages on a loopback socket, with stores in memory and with a clock that tests can set. */
export interface World {
  readonly url: string
  readonly clock: SettableClock
  readonly log: Log
  /** Runs a domain program with the stores of this service. */
  readonly run: <A, E>(program: Effect.Effect<A, E, Ports>) => Promise<A>
  readonly call: (path: string, init?: RequestInit) => Promise<Answer>
  /** A new account that is signed in, with the password `PASSWORD`. */
  readonly person: (options?: {
    readonly roles?: ReadonlyArray<Account.Role>
    readonly email?: string
  }) => Promise<Person>
  /** A sandbox app of `owner` that declares every scope and has a client secret. */
  readonly app: (
    owner: Person,
    overrides?: Partial<App.App>
  ) => Promise<{ readonly app: App.App; readonly clientSecret: string }>
  /** `user` approves `app` for the scopes, and the app exchanges the code. */
  readonly connect: (user: Person, app: App.App, choices: Connect) => Promise<Tokens>
  readonly close: () => Promise<void>
}

/** A signed-in browser: it sends its cookie, and the Origin that a browser sends. */
export interface Person {
  readonly account: Account.Account
  /** The session cookie, `session=…`. It changes when an answer to `get` or `send` sets another cookie. */
  readonly cookie: string
  readonly get: (path: string, init?: RequestInit) => Promise<Answer>
  readonly send: (method: string, path: string, body?: unknown, init?: RequestInit) => Promise<Answer>
}

interface Connect extends Partial<Omit<ConsentChoices, "scopes">> {
  readonly scopes: ReadonlyArray<string>
  /** Parameters of the authorization request that replace the default parameters. */
  readonly request?: Readonly<Record<string, string>>
}

export type Tokens = Effect.Effect.Success<ReturnType<typeof exchangeCode>>

export const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

/** `atName`: the service runs at `localhost`. Browsers make passkeys for names only, not for network addresses. */
export interface WorldOptions extends Partial<ServiceOptions> {
  readonly atName?: boolean
  /** The recorder that gets a report of each call of an app. */
  readonly recorder?: Tally.FiguresRecorder
  /** Whether the service records measurements, as a process with METRICS_PORT does. */
  readonly isMeasured?: boolean
}

export const startWorld = async ({
  atName = false,
  isMeasured = false,
  recorder,
  ...options
}: WorldOptions = {}): Promise<World> => {
  const clock = settableClock(START)
  // Leaves out log lines below the level of warnings. Each audit event writes a line of a lower level, and these lines
  // would flood the output of the tests.
  const ambient = Layer.merge(clock.layer, Logger.minimumLogLevel(LogLevel.Warning))
  const scope = Effect.runSync(Scope.make())
  const stores = await Effect.runPromise(Layer.buildWithScope(Stores.pipe(Layer.provide(ambient)), scope))
  let settings: ServiceOptions | undefined
  const named = (url: string) => (atName ? url.replace("127.0.0.1", "localhost") : url)
  const served = await serve((address) => {
    const url = named(address)
    // The clock stands still, so all calls of a test are in the same minute. With the usual limit for a minute, later
    // calls would be refused.
    settings = optionsAt(url, { rateLimitPerMinute: 1_000_000, version: "0.0.0", ...options })
    const recording = Layer.scopedDiscard(
      Effect.zipRight(
        Effect.locallyScoped(figuresRecorder, recorder ?? null),
        Effect.locallyScoped(Telemetry.recorder, isMeasured ? { observers: new Set<() => void>() } : null)
      )
    )
    return HttpLive.layer(settings).pipe(
      Layer.provide(Layer.succeedContext(stores)),
      Layer.provide(recording),
      Layer.provide(ambient)
    )
  })
  const run: World["run"] = (program) =>
    Effect.runPromise(program.pipe(Effect.provide(stores), Effect.provide(ambient)))
  const issuer = settings?.baseUrl ?? served.url

  const person: World["person"] = async ({
    roles = [],
    email = `${randomBytes(6).toString("hex")}@example.com`
  } = {}) => {
    const address = Accounts.Account.Email.make(email)
    const made = await run(createAccount({ email: address, password: Accounts.Account.Password.make(PASSWORD), roles }))
    const { cookie: token } = await run(signIn({ email: address, password: PASSWORD, address: "192.0.2.1" }))
    const name = issuer.startsWith("https:") ? "__Host-session" : "session"
    let cookie = `${name}=${token}`
    // The cookie that a form's answer sets, so that the next page shows what the form has done.
    let notice = ""
    const ask = async (path: string, init: RequestInit): Promise<Answer> => {
      const own = { cookie: notice === "" ? cookie : `${cookie}; ${notice}`, origin: issuer }
      const headers = { ...own, ...(init.headers as Record<string, string> | undefined) }
      const answer = await call(served.url + path, { ...init, headers })
      for (const text of answer.headers.getSetCookie()) {
        const [pair = ""] = text.split(";")
        const isCleared = text.includes("; Max-Age=0")
        if (pair.startsWith(`${name}=`) && !isCleared) cookie = pair
        if (/^(?:__Host-)?notice=/.test(pair)) notice = isCleared ? "" : pair
      }
      return answer
    }
    return {
      account: made,
      get cookie() {
        return cookie
      },
      get: (path, init = {}) => ask(path, init),
      send: (method, path, body, init) => {
        const json = body === undefined ? {} : jsonBody(body)
        return ask(path, { ...json, ...init, method, headers: { ...json.headers, ...init?.headers } })
      }
    }
  }

  const connect: World["connect"] = async (user, app, { request: sent, ...choices }) => {
    const codeVerifier = randomBytes(32).toString("base64url")
    const [redirectUri = ""] = app.redirectUris
    const code = await run(
      Effect.gen(function* () {
        const request = yield* startConsent(
          {
            client_id: app.id,
            redirect_uri: redirectUri,
            scope: choices.scopes.join(" "),
            code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
            code_challenge_method: "S256",
            state: "a-state-of-the-app",
            ...sent
          },
          issuer
        )
        const { redirectTo } = yield* decideConsent(
          request.id,
          user.account,
          {
            decision: "allow",
            shown: undefined,
            places: [],
            earlier: [],
            standardDays: undefined,
            sensitiveDays: undefined,
            ...choices
          },
          issuer,
          "assumed"
        )
        return new URL(redirectTo).searchParams.get("code") ?? ""
      })
    )
    return run(exchangeCode(app, { code, codeVerifier, redirectUri }))
  }

  return {
    url: named(served.url),
    clock,
    log: served.log,
    run,
    call: (path, init) => call(served.url + path, init),
    person,
    app: (owner, overrides) => run(Fixtures.registeredApp(owner.account, overrides)),
    connect,
    close: async () => {
      await served.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
