import { Effect } from "effect"
import { isScope, isSensitive, type SensitiveScope } from "../../../src/shared/Scope.js"
import type { Answered, Ended, Operation, Request, TokenSet } from "../Operations.js"
import type { Posted, ReceivedMessage } from "../Trace.js"
import { REQUIRED } from "../Specification.js"
import { demandScript, type Script } from "./Receivers.js"
import * as User from "./User.js"
import type { NotDone, Stage } from "./Stage.js"

export interface PurposeDraft {
  readonly key: string
  readonly scopes: ReadonlyArray<string>
  readonly description?: string | undefined
  readonly expectedDailyVolume?: number | undefined
}

export interface Draft {
  readonly scopes: ReadonlyArray<string>
  /** The developer who owns the app. Default: a new developer. */
  readonly owner?: User.User | undefined
  /** Whether the app is reviewed and approved, so that any user can connect it. Default: true. */
  readonly production?: boolean | undefined
  /**
   * The app's purposes. If the app is approved, its purposes are also approved. Default: one purpose that covers every
   * sensitive scope of the app.
   */
  readonly purposes?: ReadonlyArray<PurposeDraft> | undefined
}

export interface Terms {
  readonly scopes: ReadonlyArray<string>
  /** The scopes that the user ticks on the consent page. Default: all that the app requests. */
  readonly granted?: ReadonlyArray<string> | undefined
  readonly places?: ReadonlyArray<User.Place> | undefined
  /** For visits at these places, the user also shares visits from before the connection. */
  readonly earlier?: ReadonlyArray<User.Place> | undefined
  /** How long the standard tier lasts, in days. Default: 30. Null: without an end. */
  readonly standardDays?: 1 | 7 | 30 | 90 | null | undefined
  readonly sensitiveDays?: 1 | 7 | 30 | 90 | undefined
  readonly externalUserId?: string | undefined
}

/** An app and its developer. */
export class App {
  readonly id: string
  readonly owner: User.User
  readonly purposes: ReadonlyArray<PurposeDraft & { readonly id: string }>
  readonly world: Stage

  constructor(world: Stage, id: string, owner: User.User, purposes: App["purposes"]) {
    this.world = world
    this.id = id
    this.owner = owner
    this.purposes = purposes
  }

  /** Creates a webhook endpoint. Its receiver answers 200 until `Hook.script` sets another behaviour. */
  endpoint(
    name: string,
    { events = [] }: { readonly events?: ReadonlyArray<string> } = {}
  ): Effect.Effect<Hook, NotDone> {
    const url = `https://hooks.example/${this.id}/${name}`
    this.world.receivers.script(url, 200)
    return Effect.map(
      this.world.do("createEndpoint", { appId: this.id, url, events }, this.owner.name),
      ({ endpointId }) => new Hook(this, endpointId, url)
    )
  }

  /**
   * The developer signs in and listens to the app's events for at most `forMs` (default: 5 minutes). The listener gets
   * the events of `endpoint`; without an endpoint, the events of the types in `events` (default: all).
   */
  listen({
    endpoint,
    events = [],
    forMs = 300_000
  }: {
    readonly endpoint?: Hook
    readonly events?: ReadonlyArray<string>
    readonly forMs?: number
  } = {}): Effect.Effect<Listening, NotDone> {
    const { id: appId, owner, world } = this
    return Effect.gen(function* () {
      const signIn = { userId: owner.id, password: 0, address: "192.0.2.250" }
      const { cookie } = yield* world.do("signIn", signIn, owner.name)
      const args = { appId, cookie, endpointId: endpoint?.id ?? null, events, forMs }
      const { listenerId } = yield* world.do("listen", args, owner.name)
      return new Listening(world, listenerId, cookie)
    })
  }

  /** The user consents to the request of the app, and the app gets an authorization code. */
  consent(user: User.User, terms: Terms): Effect.Effect<Operation<"consent">["value"], NotDone> {
    return this.world.do("consent", { userId: user.id, appId: this.id, ...choices(terms) }, user.name)
  }

  /**
   * Exchanges an authorization code for tokens, as the app's server does: with the client secret and the right
   * verifier.
   */
  exchange(code: string): Effect.Effect<TokenSet, NotDone> {
    const args = { appId: this.id, code, verifier: "right", client: "right" } as const
    return this.world.do("exchange", args, this.owner.name)
  }

  /**
   * The user consents, and the app exchanges the code for tokens. Depending on the terms, the consent connects,
   * reconnects, renews or changes the connection.
   */
  connect(user: User.User, terms: Terms): Effect.Effect<Connection, NotDone> {
    return Effect.gen(this, function* () {
      const { code, connectionId } = yield* this.consent(user, terms)
      return new Connection(this, user, connectionId, yield* this.exchange(code))
    })
  }
}

const choices = ({
  earlier = [],
  externalUserId = null,
  granted,
  places = [],
  scopes,
  standardDays = 30,
  sensitiveDays = 30
}: {
  readonly [K in keyof Terms]: K extends "externalUserId" ? string | null | undefined : Terms[K]
}) => ({
  requested: scopes,
  scopes: granted ?? scopes,
  places: places.map(({ id }) => id),
  earlier: earlier.map(({ id }) => id),
  standardDays,
  sensitiveDays,
  externalUserId
})

/** An app's connection to one user, with the tokens of the app. */
export class Connection {
  readonly id: string
  readonly app: App
  readonly user: User.User
  /** The newest tokens that the app received. */
  tokens: TokenSet

  constructor(app: App, user: User.User, id: string, tokens: TokenSet) {
    this.app = app
    this.user = user
    this.id = id
    this.tokens = tokens
  }

  /**
   * Makes a call, by default with the newest access token. For a call that needs a sensitive scope, `purpose` is by
   * default a purpose of the app that covers the scope.
   */
  call(
    request: Request,
    options: { readonly purpose?: string | null; readonly token?: string } = {}
  ): Effect.Effect<Answered, NotDone> {
    // The token is read when the Effect runs. So an Effect that was made before a refresh uses the new token.
    return Effect.suspend(() => {
      const { app, tokens } = this
      const purpose = options.purpose === undefined ? this.purposeFor(request) : options.purpose
      const { token = tokens.accessToken } = options
      const args = { appId: app.id, token, request, ...(purpose === null ? {} : { purpose }) }
      return app.world.do("call", args, app.owner.name)
    })
  }

  /** Refreshes the tokens. Returns undefined when the service refuses the refresh, or when the outcome is unknown. */
  get refresh(): Effect.Effect<TokenSet | undefined> {
    return Effect.map(
      Effect.suspend(() => this.present(this.tokens.refreshToken)),
      (outcome) => {
        if (outcome._tag !== "ok") return undefined
        this.tokens = outcome.value
        return outcome.value
      }
    )
  }

  /**
   * Sends a refresh token, which may be spent, to the service. The field `tokens` stays unchanged, whatever the service
   * returns.
   */
  present(refreshToken: string): Effect.Effect<Ended<"refresh">> {
    const { app } = this
    return app.world.perform("refresh", { appId: app.id, refreshToken, client: "right" }, app.owner.name)
  }

  /** Revokes a token as the app's server does. Default: the newest refresh token. */
  revoke(token?: string): Effect.Effect<void, NotDone> {
    return Effect.suspend(() => {
      const { app, tokens } = this
      const args = { appId: app.id, token: token ?? tokens.refreshToken, client: "right" } as const
      return Effect.asVoid(app.world.do("revoke", args, app.owner.name))
    })
  }

  private purposeFor({ endpoint }: Request): string | null {
    const scope = REQUIRED[endpoint]
    return this.app.purposes.find(({ scopes }) => scopes.includes(scope))?.key ?? null
  }
}

/** A developer's machine that gets the app's events over one stream. */
export class Listening {
  readonly id: string
  /** The cookie of the session that opened the stream. The stream ends with this session. */
  readonly cookie: string
  private readonly world: Stage

  constructor(world: Stage, id: string, cookie: string) {
    this.world = world
    this.id = id
    this.cookie = cookie
  }

  /** The messages that came over the stream, oldest first. */
  get messages(): Effect.Effect<ReadonlyArray<ReceivedMessage>> {
    return this.world.messagesOf(this.id)
  }

  get stop(): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.world.do("stopListening", { listenerId: this.id }))
  }

  /** Signs the developer out of the session that opened the stream. */
  get signOut(): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.world.do("signOut", { cookie: this.cookie }))
  }
}

/** A webhook endpoint, together with its receiver. */
export class Hook {
  readonly id: string
  readonly url: string
  private readonly app: App

  constructor(app: App, id: string, url: string) {
    this.app = app
    this.id = id
    this.url = url
  }

  /** Sets how the receiver replies from now on. */
  script(script: Script): Effect.Effect<void> {
    demandScript(script)
    return Effect.sync(() => this.app.world.receivers.script(this.url, script))
  }

  get received(): Effect.Effect<ReadonlyArray<Posted & { readonly t: number }>> {
    return this.app.world.posted(this.url)
  }

  get rotate(): Effect.Effect<string, NotDone> {
    const { app, id } = this
    return Effect.map(
      app.world.do("rotateSecret", { appId: app.id, endpointId: id }, app.owner.name),
      ({ secret }) => secret
    )
  }

  get test(): Effect.Effect<Operation<"testEndpoint">["value"], NotDone> {
    const { app, id } = this
    return app.world.do("testEndpoint", { appId: app.id, endpointId: id }, app.owner.name)
  }

  get enable(): Effect.Effect<void, NotDone> {
    const { app, id } = this
    return Effect.asVoid(app.world.do("editEndpoint", { appId: app.id, endpointId: id, enabled: true }, app.owner.name))
  }

  get remove(): Effect.Effect<void, NotDone> {
    const { app, id } = this
    return Effect.asVoid(app.world.do("removeEndpoint", { appId: app.id, endpointId: id }, app.owner.name))
  }

  /** The deliveries of this endpoint, newest first. */
  get deliveries(): Effect.Effect<Operation<"readDeliveries">["value"]["deliveries"], NotDone> {
    const { app, id } = this
    return Effect.map(app.world.do("readDeliveries", { appId: app.id }, app.owner.name), ({ deliveries }) =>
      deliveries.filter(({ endpointId }) => endpointId === id)
    )
  }
}

export const make = (world: Stage, draft: Draft): Effect.Effect<App, NotDone> =>
  Effect.gen(function* () {
    const number = world.registry.next("developer")
    const owner = draft.owner ?? (yield* User.make(world, `developer${number}`, []))
    const { appId } = yield* world.do("createApp", { userId: owner.id, scopes: draft.scopes }, owner.name)
    const redirectUris = [`https://${appId.replace("_", "-")}.example/callback`]
    yield* world.do("registerRedirectUris", { appId, redirectUris }, owner.name)
    const purposes = yield* Effect.forEach(draft.purposes ?? covering(draft.scopes), (purpose) =>
      Effect.gen(function* () {
        const { description = `Because of ${purpose.key}, says its developer`, expectedDailyVolume = 1_000 } = purpose
        const { key, scopes } = purpose
        const terms = { appId, key, description, scopes, expectedDailyVolume }
        const { purposeId } = yield* world.do("createPurpose", terms, owner.name)
        return { ...purpose, id: purposeId }
      })
    )
    if (draft.production ?? true) {
      for (const { id: purposeId } of purposes) {
        yield* world.do("submitPurpose", { appId, purposeId }, owner.name)
        yield* world.do("decidePurpose", { purposeId, decision: "approve" }, "reviewer")
      }
      yield* world.do("submitApp", { appId }, owner.name)
      yield* world.do("decideApp", { appId, decision: "approve" }, "reviewer")
    }
    return new App(world, appId, owner, purposes)
  })

const covering = (scopes: ReadonlyArray<string>): ReadonlyArray<PurposeDraft> => {
  const sensitive = scopes.filter((scope): scope is SensitiveScope => isScope(scope) && isSensitive(scope))
  return sensitive.length === 0 ? [] : [{ key: "navigation", scopes: sensitive }]
}
