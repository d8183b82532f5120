/**
 * A second implementation of Spec §3.1, §4.1-4.3, §6.3 and decisions O6 to O8, for one user's connections with one app.
 * It has only lists, loops and conditions, and no code of the product. Times are milliseconds.
 */

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

const SENSITIVE = ["location.latest.read", "location.lookup"]
const isSensitive = (scope: string): boolean => SENSITIVE.includes(scope)
const sameSet = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((one) => b.includes(one))

export interface Link {
  readonly text: string
  readonly connection: Grant
  spentAt: number | null
  child: Link | null
  revoked: boolean
}

/** The unspent refresh token that followed from `link` by refreshes. */
const newestOf = (link: Link): Link => (link.child === null ? link : newestOf(link.child))

export interface Access {
  readonly text: string
  readonly connection: Grant
  readonly issuedAt: number
  revoked: boolean
}

export interface Code {
  readonly text: string
  readonly connection: Grant
  readonly issuedAt: number
  /** The number of the token family that the app got for the code. Null until the app exchanges the code. */
  family: number | null
  usedAt: number
  /**
   * Whether the app exchanged the code with an `Idempotency-Key`. Then a repetition of the request within 30 s gets the
   * newest refresh token that followed from the exchange.
   */
  isRepeatable: boolean
  /** The refresh token that the app got for the code. Null until the app exchanges the code. */
  link: Link | null
}

export interface Grant {
  readonly id: string
  readonly connectedAt: number
  held: ReadonlyArray<string>
  places: ReadonlyArray<string>
  placesVersion: number
  standardEnd: number | null
  sensitiveEnd: number | null
  /**
   * `sensitiveSince`: the time at which the user chose the end date of the sensitive scopes. `settled`: the moments of
   * this date that a sweep has already handled. The moments are two warnings, the end, and the removal of the scopes.
   */
  sensitiveSince: number
  settled: Set<string>
  /**
   * The moments of an end date (see `settled`: warnings, end, removal) about which the app already got an event. Each
   * element names the moment and the end date.
   */
  readonly toldOf: Set<string>
  ended: { readonly at: number; readonly reason: string } | null
  family: number | null
}

export type Mode = "new" | "renew_sensitive" | "change"

/** A consent page that the user opened. */
export interface Page {
  readonly id: string
  readonly requested: ReadonlyArray<string>
  readonly openedAt: number
  readonly shown: Mode
  answered: { readonly code: Code | null } | null
}

export interface Choices {
  readonly decision: "allow" | "cancel" | "stop"
  /** The mode of the consent page whose form was posted. Null when the form names no mode. */
  readonly shown: Mode | null
  readonly scopes: ReadonlyArray<string>
  readonly places: ReadonlyArray<string>
  /** The number of days after which the standard scopes end. Null: they do not end. */
  readonly standardDays: number | null
  readonly sensitiveDays: number
}

export type Answered =
  | { readonly is: "refused"; readonly why: string }
  | { readonly is: "faulty" }
  | { readonly is: "denied" }
  /**
   * The user already answered this consent page, and answers it again. The app gets the code of the first answer, which
   * it has not exchanged.
   */
  | { readonly is: "repeated"; readonly code: Code }
  /**
   * The app gets a new code. The caller then passes to the model (`approve`) the text of the code and, if the service
   * made a new connection, the connection's id.
   */
  | { readonly is: "approved"; readonly mode: Mode }

export interface ExpectedEvent {
  readonly type: string
  readonly at: number
  readonly connection: string
  readonly about: string
}

export type Tokens = { readonly ok: false } | { readonly ok: true; readonly refresh: "new" | string }

export class ReferenceConnections {
  readonly grants: Array<Grant> = []
  readonly links: Array<Link> = []
  readonly accesses: Array<Access> = []
  readonly codes: Array<Code> = []
  readonly pages: Array<Page> = []
  readonly told: Array<ExpectedEvent> = []
  allowed: ReadonlyArray<string>
  appRevokedAt: number | null = null
  leakMails = 0
  families = 0

  constructor(declared: ReadonlyArray<string>) {
    this.allowed = declared
  }

  unended(): Grant | undefined {
    return this.grants.find((grant) => grant.ended === null)
  }

  isLive(grant: Grant, now: number): boolean {
    return grant.ended === null && this.appRevokedAt === null && (grant.standardEnd === null || now < grant.standardEnd)
  }

  /**
   * The answer of `GET /v1/me` at the time `now`, without the fields `connectedAt`, `externalUserId` and `sub`.
   */
  describe(grant: Grant, now: number) {
    const over = grant.sensitiveEnd !== null && now >= grant.sensitiveEnd + 14 * DAY
    const lapsed = grant.sensitiveEnd !== null && now >= grant.sensitiveEnd
    const held = grant.held.filter((scope) => this.allowed.includes(scope) && !(over && isSensitive(scope)))
    const end = held.some(isSensitive) ? grant.sensitiveEnd : null
    return {
      scopes: this.isLive(grant, now) ? held.filter((scope) => !(lapsed && isSensitive(scope))) : [],
      held,
      placesVersion: grant.placesVersion,
      grantExpiresAt: grant.standardEnd,
      sensitiveExpiresAt: end,
      sensitiveLapsedAt: end !== null && now >= end ? end : null,
      renewalGraceEndsAt: end === null ? null : end + 14 * DAY
    }
  }

  /** The mode of a consent page that requests these scopes (Spec §4.1). */
  mode(requested: ReadonlyArray<string>, now: number): Mode {
    const grant = this.unended()
    if (grant === undefined || !this.isLive(grant, now)) return "new"
    const { held } = this.describe(grant, now)
    return sameSet(requested, held) && held.some(isSensitive) ? "renew_sensitive" : "change"
  }

  /** Whether the app may request these scopes. */
  mayOpen(requested: ReadonlyArray<string>): boolean {
    return this.appRevokedAt === null && requested.every((scope) => this.allowed.includes(scope))
  }

  answer(page: Page, choices: Choices, now: number): Answered {
    if (now - page.openedAt >= HOUR) return { is: "refused", why: "expired" }
    if (this.appRevokedAt !== null) return { is: "refused", why: "app_revoked" }
    if (page.answered !== null) {
      const { code } = page.answered
      if (code === null) return { is: "denied" }
      // Decision consent-6: a code that the app cannot exchange any more is not repeated.
      if (code.family !== null || now - code.issuedAt >= MINUTE) return { is: "refused", why: "decided" }
      return { is: "repeated", code }
    }
    const grant = this.unended()
    const current = this.mode(page.requested, now)
    if (choices.decision === "cancel") {
      page.answered = { code: null }
      return { is: "denied" }
    }
    if (choices.decision === "stop" && (choices.shown ?? current) === "renew_sensitive") {
      page.answered = { code: null }
      if (grant !== undefined && this.isLive(grant, now) && grant.held.some(isSensitive)) this.#stop(grant, now)
      return { is: "denied" }
    }
    // The form of a renewal page is outdated when there is nothing to renew. The form of the full page is never
    // outdated.
    if (choices.shown === "renew_sensitive" && current !== "renew_sensitive") return { is: "refused", why: "outdated" }
    const renews = current === "renew_sensitive" && (choices.shown === null || choices.shown === "renew_sensitive")
    const scopes = renews && choices.scopes.length === 0 ? page.requested : choices.scopes
    if (choices.decision !== "allow" || scopes.length === 0) return { is: "faulty" }
    if (scopes.some((scope) => !page.requested.includes(scope) || !this.allowed.includes(scope)))
      return { is: "faulty" }
    return { is: "approved", mode: renews ? "renew_sensitive" : current === "new" ? "new" : "change" }
  }

  /**
   * Applies an approval to the model. `fresh` has the ids that the service gave to the code and to a new connection.
   */
  approve(
    page: Page,
    choices: Choices,
    mode: Mode,
    fresh: { readonly connection: string; readonly code: string },
    now: number
  ) {
    const scopes = mode === "renew_sensitive" && choices.scopes.length === 0 ? page.requested : choices.scopes
    const before = this.unended()
    if (mode === "new" && before !== undefined) this.#expire(before)
    const grant = mode === "new" ? this.#make(fresh.connection, now) : before!
    // Decision consent-3: a renewal keeps every standard scope, even those that its form does not name.
    const kept = mode === "renew_sensitive" ? grant.held.filter((scope) => !isSensitive(scope)) : []
    grant.held = [...new Set([...kept, ...scopes])]
    grant.sensitiveEnd = scopes.some(isSensitive) ? now + choices.sensitiveDays * DAY : null
    grant.sensitiveSince = now
    grant.settled = new Set()
    if (mode !== "renew_sensitive") {
      grant.standardEnd = choices.standardDays === null ? null : now + choices.standardDays * DAY
      // Decision consent-14: a change that asks for no scope about places keeps the shared places. Every standard scope
      // of the commands (`connectionCommands.ts`) is about places.
      if (mode === "new" || !page.requested.every(isSensitive))
        this.#share(grant, choices.places, mode === "change", now)
    }
    // Amendment M7: an approval revokes all tokens that the connection had.
    this.#revokeAll(grant)
    grant.family = null
    const code: Code = {
      text: fresh.code,
      connection: grant,
      issuedAt: now,
      family: null,
      usedAt: 0,
      isRepeatable: false,
      link: null
    }
    this.codes.push(code)
    page.answered = { code }
  }

  /** `PUT …/places`. Returns false, and shares nothing, if the connection has ended. */
  share(grant: Grant, places: ReadonlyArray<string>, now: number): boolean {
    if (grant.ended !== null || this.#hasExpired(grant, now)) return false
    this.#share(grant, places, true, now)
    return true
  }

  exchange(
    code: Code,
    proof: { readonly verifier: boolean; readonly redirect: boolean; readonly app: boolean; readonly key: boolean },
    now: number
  ): Tokens {
    const grant = code.connection
    if (!proof.app || !proof.redirect || !proof.verifier) return { ok: false }
    if (grant.ended !== null || this.appRevokedAt !== null || this.#hasExpired(grant, now)) return { ok: false }
    if (code.family !== null) {
      if (code.family !== grant.family || code.link === null) return { ok: false }
      if (code.isRepeatable && proof.key && now - code.usedAt <= 30_000) {
        return { ok: true, refresh: newestOf(code.link).text }
      }
      this.#end(grant, now, "code_reused")
      this.leakMails += 1
      return { ok: false }
    }
    if (now - code.issuedAt >= MINUTE) return { ok: false }
    this.#revokeAll(grant)
    this.families += 1
    code.family = this.families
    code.usedAt = now
    code.isRepeatable = proof.key
    grant.family = this.families
    return { ok: true, refresh: "new" }
  }

  refresh(link: Link, ownApp: boolean, now: number): Tokens {
    if (!ownApp) return { ok: false }
    const grant = link.connection
    if (link.revoked || grant.ended !== null || this.appRevokedAt !== null) return { ok: false }
    if (this.#hasExpired(grant, now)) return { ok: false }
    if (link.spentAt === null) {
      link.spentAt = now
      return { ok: true, refresh: "new" }
    }
    if (now - link.spentAt <= 30_000) return { ok: true, refresh: newestOf(link).text }
    this.#end(grant, now, "refresh_token_reused")
    this.leakMails += 1
    return { ok: false }
  }

  /** Stores which refresh token the app got for the code. */
  exchanged(code: Code, refresh: string): void {
    code.link ??= this.links.find((link) => link.text === refresh) ?? null
  }

  /**
   * Records the tokens that the app received. `parent` is the refresh token that the refresh spent. `parent` is null
   * after a code exchange, and after a refresh whose presented token had already been spent.
   */
  issued(
    grant: Grant,
    parent: Link | null,
    texts: { readonly access: string; readonly refresh: string },
    now: number
  ): void {
    this.accesses.push({ text: texts.access, connection: grant, issuedAt: now, revoked: false })
    if (this.links.some((link) => link.text === texts.refresh)) return
    const link: Link = { text: texts.refresh, connection: grant, spentAt: null, child: null, revoked: false }
    this.links.push(link)
    if (parent !== null) parent.child = link
  }

  revoke(token: Link | Access | undefined, ownApp: boolean, now: number): void {
    if (token === undefined || !ownApp || token.revoked) return
    this.disconnect(token.connection, now, "app_revoked_token")
  }

  disconnect(grant: Grant, now: number, reason = "user_disconnected"): void {
    if (grant.ended === null && !this.#hasExpired(grant, now)) this.#end(grant, now, reason)
  }

  /** An admin revokes the app, which ends all its live connections. */
  revokeApp(now: number): void {
    this.appRevokedAt = now
    for (const grant of this.grants) this.disconnect(grant, Math.max(now, grant.connectedAt), "admin_revoked")
  }

  opens(access: Access, now: number): boolean {
    return !access.revoked && this.isLive(access.connection, now) && now - access.issuedAt < HOUR
  }

  /**
   * Spec §6.3: each moment of an end date (two warnings, the end, the removal) has at most one event, even if the user
   * chooses the same date twice. A moment that had passed at the consent has no event. A warning has no event either,
   * if the next moment has passed.
   */
  sweep(now: number): void {
    for (const grant of this.grants) {
      if (grant.ended !== null || this.#hasExpired(grant, now) || grant.sensitiveEnd === null) continue
      const end = grant.sensitiveEnd
      const scopes = SENSITIVE.filter((scope) => grant.held.includes(scope)).join(" ")
      const settle = (type: string, moment: number, until: number, about: string): void => {
        if (now < moment || grant.settled.has(about)) return
        grant.settled.add(about)
        if (moment < grant.sensitiveSince || now >= until) return
        // A renewal may have chosen the same end date again. The app must not get this moment's event twice.
        if (grant.toldOf.has(`${about} ${end}`)) return
        grant.toldOf.add(`${about} ${end}`)
        this.told.push({ type, at: moment, connection: grant.id, about: `${about} ${end} ${scopes}` })
      }
      settle("sensitive.expiring", end - 14 * DAY, end - 7 * DAY, "14")
      settle("sensitive.expiring", end - 7 * DAY, end, "7")
      settle("sensitive.lapsed", end, Infinity, "lapsed")
      settle("sensitive.removed", end + 14 * DAY, Infinity, "removed")
      if (now >= end + 14 * DAY) {
        grant.held = grant.held.filter((scope) => !isSensitive(scope))
        grant.sensitiveEnd = null
      }
    }
  }

  #make(id: string, connectedAt: number): Grant {
    // Amendment M6: a new connection continues the numbers of `placesVersion` of the earlier connections.
    const placesVersion = Math.max(0, ...this.grants.map((grant) => grant.placesVersion)) + 1
    const grant: Grant = {
      id,
      connectedAt,
      held: [],
      places: [],
      placesVersion,
      standardEnd: null,
      sensitiveEnd: null,
      sensitiveSince: 0,
      settled: new Set(),
      toldOf: new Set(),
      ended: null,
      family: null
    }
    this.grants.push(grant)
    return grant
  }

  #share(grant: Grant, places: ReadonlyArray<string>, isChange: boolean, now: number): void {
    const same = sameSet(grant.places, places)
    grant.places = places
    if (!isChange || same) return
    grant.placesVersion += 1
    if (!this.describe(grant, now).scopes.includes("location.places.watch")) return
    this.told.push({ type: "places.changed", at: now, connection: grant.id, about: `${grant.placesVersion}` })
  }

  #stop(grant: Grant, now: number): void {
    const left = grant.held.filter((scope) => !isSensitive(scope))
    // If the app declares no other scope that the user shared, the app has no scope left (decision consent-8). So the
    // connection ends, and keeps its scopes and its end date for the history.
    if (!left.some((scope) => this.allowed.includes(scope))) return this.#end(grant, now, "user_disconnected")
    grant.held = left
    grant.sensitiveEnd = null
  }

  #hasExpired(grant: Grant, now: number): boolean {
    if (grant.standardEnd === null || now < grant.standardEnd) return false
    this.#expire(grant)
    return true
  }

  #expire(grant: Grant): void {
    if (grant.ended === null && grant.standardEnd !== null) this.#end(grant, grant.standardEnd, "expired")
  }

  #end(grant: Grant, at: number, reason: string): void {
    grant.ended = { at, reason }
    this.#revokeAll(grant)
  }

  #revokeAll(grant: Grant): void {
    for (const token of [...this.links, ...this.accesses]) if (token.connection === grant) token.revoked = true
  }
}
