import type { Ended, Name, Operation, Request } from "../../../testing/simulation/Operations.js"
import type { Oracle, Run } from "../../../testing/simulation/Oracle.js"
import type { Entry } from "../../../testing/simulation/Trace.js"

export const START = 1_767_225_600_000

type Outcome<N extends Name> = Ended<N>
export const ok = <V>(value: V): { readonly _tag: "ok"; readonly value: V } => ({ _tag: "ok", value })
export const refused = (error: string) => ({ _tag: "refused", error, detail: null }) as const
export const unavailable = { _tag: "unknown", because: "unavailable" } as const

/**
 * A trace of the simulation that a test writes entry by entry, so that it can test oracles without a run of the
 * simulation.
 */
export class Story {
  readonly entries: Array<Entry> = []
  t = START
  /** The user identifier (`sub`) that the app got when a user connected last. */
  sub = "sub"
  private names = 0

  fresh(kind: string): string {
    return `${kind}-${++this.names}`
  }

  after(ms: number): this {
    this.t += ms
    return this
  }

  add(entry: Record<string, unknown>, proc = "world"): number {
    const i = this.entries.length
    this.entries.push({ i, t: this.t, proc, ...entry } as unknown as Entry)
    return i
  }

  begin<N extends Name>(name: N, args: Operation<N>["args"], actor = "somebody"): number {
    return this.add({ kind: "begun", name, actor, args })
  }

  end<N extends Name>(op: number, name: N, outcome: Outcome<N>): number {
    return this.add({ kind: "done", name, op, outcome })
  }

  /** Adds an operation that takes no time. Returns the number (`i`) of the entry that ends it. */
  op<N extends Name>(name: N, args: Operation<N>["args"], outcome: Outcome<N>): number {
    return this.end(this.begin(name, args), name, outcome)
  }

  run(quiesced = false): Run {
    return { entries: [...this.entries], quiesced }
  }

  // ---- apps, users, consents and tokens

  app(scopes: ReadonlyArray<string>, ownerId = "dev"): string {
    const appId = this.fresh("app")
    this.op("createApp", { userId: ownerId, scopes }, ok({ appId }))
    return appId
  }

  user(): string {
    const userId = this.fresh("user")
    this.op("signUp", { email: `${userId}@example.com`, roles: [] }, ok({ userId }))
    return userId
  }

  consent(asked: Consent): { readonly code: string; readonly connectionId: string } {
    const { args, value } = this.consenting(asked)
    this.op("consent", args, ok(value))
    return value
  }

  consenting(asked: Consent) {
    const { appId, connectionId, mode = "new", scopes, sensitiveDays = 30, standardDays = null, userId } = asked
    return {
      args: {
        userId,
        appId,
        requested: scopes,
        scopes,
        places: [],
        earlier: [],
        standardDays,
        sensitiveDays,
        externalUserId: null
      },
      value: { mode, code: this.fresh("code"), connectionId: connectionId ?? this.fresh("connection") }
    }
  }

  tokens(over: Partial<Operation<"exchange">["value"]> = {}): Operation<"exchange">["value"] {
    return {
      accessToken: this.fresh("access"),
      refreshToken: this.fresh("refresh"),
      expiresInS: 3_600,
      refreshTokenExpiresAt: null,
      sensitiveScopesExpireAt: null,
      scopes: ["location.visits.read"],
      sub: this.sub,
      ...over
    }
  }

  exchange(appId: string, code: string, over: Partial<Operation<"exchange">["value"]> = {}) {
    const value = this.tokens(over)
    this.op("exchange", { appId, code, verifier: "right", client: "right" }, ok(value))
    return value
  }

  /** Adds a user who has connected an app, with the consent and the tokens. */
  connected(over: Partial<Consent> & { readonly tokens?: Partial<Operation<"exchange">["value"]> } = {}) {
    const scopes = over.scopes ?? ["location.visits.read"]
    const userId = over.userId ?? this.user()
    const appId = over.appId ?? this.app(scopes)
    this.sub = `sub of ${userId} for ${appId}`
    const { code, connectionId } = this.consent({ ...over, userId, appId, scopes })
    const set = this.exchange(appId, code, { scopes, ...over.tokens })
    return { userId, appId, connectionId, code, access: set.accessToken, refresh: set.refreshToken }
  }

  refresh(appId: string, refreshToken: string, outcome: Outcome<"refresh">) {
    this.op("refresh", { appId, refreshToken, client: "right" }, outcome)
  }

  call(appId: string, token: string, status: number, request: Request = VISITS, over: Call = {}): number {
    const begun = this.begin("call", { appId, token, request, ...(over.purpose && { purpose: over.purpose }) })
    for (const entry of over.between ?? []) this.add({ op: begun, ...entry }, "server-1")
    return this.end(begun, "call", ok({ status, error: over.error ?? null, body: over.body ?? {} }))
  }

  post(url: string, body: Record<string, unknown>, reply: unknown = 200, tookMs = 0): number {
    return this.add(
      { kind: "posted", url, body, signedAtS: Math.floor(this.t / 1000), signatures: 1, verifiedBy: [], reply, tookMs },
      "worker-1"
    )
  }

  me(appId: string, token: string, body: Record<string, unknown>): number {
    return this.call(appId, token, 200, { endpoint: "GET /v1/me" }, { body: { ...ME, sub: this.sub, ...body } })
  }
}

interface Consent {
  readonly userId: string
  readonly appId: string
  readonly scopes: ReadonlyArray<string>
  readonly connectionId?: string
  readonly mode?: "new" | "renew_sensitive" | "change"
  readonly standardDays?: 1 | 7 | 30 | 90 | null
  readonly sensitiveDays?: 1 | 7 | 30 | 90
}

interface Call {
  readonly purpose?: string
  readonly error?: string
  readonly body?: Record<string, unknown>
  readonly between?: ReadonlyArray<Record<string, unknown>>
}

export const VISITS: Request = { endpoint: "GET /v1/visits", from: null, to: null, limit: 100, cursor: null }

const ME = {
  external_user_id: null,
  scopes: ["location.visits.read"],
  held_scopes: ["location.visits.read"],
  places_version: 1,
  grant_expires_at: null,
  sensitive_expires_at: null,
  sensitive_lapsed_at: null,
  renewal_grace_ends_at: null,
  connected_at: START
}

/** For each oracle, the numbers of the entries at which it reports a violation. */
export const seen = (oracles: ReadonlyArray<Oracle>, run: Run): Readonly<Record<string, ReadonlyArray<number>>> =>
  Object.fromEntries(
    oracles.flatMap((oracle) => {
      const at = oracle.check(run).map(({ at }) => at)
      return at.length === 0 ? [] : [[oracle.name, at]]
    })
  )
