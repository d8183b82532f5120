import type { Run } from "../../Oracle.js"
import { Apps, came, purposeVerdicts } from "./Apps.js"
import {
  type Alive,
  alive,
  all,
  type Code,
  type Connection,
  daysAfter,
  type Family,
  familyAlive,
  lastKnown,
  leadsTo,
  type Grant,
  situations,
  type Token
} from "./Connections.js"
import type { CallFact, ConsentFact, ExchangeFact, Must, RefreshFact, RevokeFact } from "./trace/Facts.js"
import { type Indexed, index, type Op, type OpOf, type Span, spanOf } from "./trace/Ops.js"
import { type Came, Finality, Register } from "./trace/Pending.js"
import { into } from "./trace/into.js"
import {
  ACCESS_LIFETIME,
  ACCESS_REMEMBERED,
  CODE_LIFETIME,
  RACE_WINDOW,
  REQUIRED,
  SENSITIVE
} from "../../Specification.js"
import { chosenBy, renewalDone, scopesGranted } from "./Renewed.js"
import { steeringBegun, steeringDone, type SteeringFact } from "./Steered.js"
import { UnderWay } from "./trace/UnderWay.js"

/** Everything that the trace shows about apps, connections and tokens. All oracles of a run share one `Knowledge`. */
export class Knowledge {
  readonly trace: Indexed
  readonly apps = new Apps()
  readonly connections = new Map<string, Connection>()
  readonly tokens = new Map<string, Token>()
  readonly codes = new Map<string, Code>()
  readonly calls: Array<CallFact> = []
  readonly refreshes: Array<RefreshFact> = []
  readonly exchanges: Array<ExchangeFact> = []
  readonly revokes: Array<RevokeFact> = []
  readonly consents: Array<ConsentFact> = []
  readonly steerings: Array<SteeringFact> = []
  /** The e-mail address of each user, by the user's id. */
  readonly emails = new Map<string, string>()
  private readonly pairs = new Map<string, Array<Connection>>()
  private readonly consentsOf = new Map<string, Array<OpOf<"consent">>>()
  private readonly openConsents = new Map<
    number,
    { readonly connection: Connection; readonly before: Connection | undefined }
  >()
  private readonly underWay: UnderWay

  constructor(run: Run) {
    this.trace = index(run)
    this.underWay = new UnderWay(this.trace)
    for (const entry of run.entries) {
      if (entry.kind === "begun") {
        const op = this.trace.ops.get(entry.i)
        if (op !== undefined) this.begun(op)
      } else if (entry.kind === "done") {
        const op = this.trace.ended.get(entry.i)
        if (op !== undefined) this.done(op)
      }
    }
  }

  private static readonly cache = new WeakMap<Run, Knowledge>()
  static of(run: Run): Knowledge {
    const known = this.cache.get(run) ?? new Knowledge(run)
    this.cache.set(run, known)
    return known
  }

  private begun(op: Op): void {
    this.apps.begun(op)
    switch (op.name) {
      case "consent":
        return this.consentBegun(op)
      case "exchange": {
        const connection = this.codes.get(op.args.code)?.connection
        const { client, redirectUri, verifier } = op.args
        if (connection === undefined || [client, redirectUri, verifier].includes("wrong")) return
        // An exchange that reuses a code has two possible effects: it issues tokens, or it ends the tokens that the
        // code issued before.
        this.mayEnd(op, connection, "its code was used twice")
        if (op.outcome._tag !== "refused") {
          // Two answers with the same refresh token belong to one family: an exchange that is repeated within 30 s with
          // its `Idempotency-Key`, and without a refresh in between, gets the same refresh token.
          const family =
            op.outcome._tag === "ok" ? this.familyWith(op.outcome.value.refreshToken, connection, op) : null
          const handle = connection.family.begin(op, family)
          this.underWay.add(op, (came) => connection.family.settle(handle, op, came))
        }
        return
      }
      case "refresh": {
        const connection = this.tokens.get(op.args.refreshToken)?.family.connection
        if (connection !== undefined && op.args.client === "right") {
          this.mayEnd(op, connection, "a spent refresh token was presented")
        }
        return
      }
      case "revoke": {
        const connection = this.tokens.get(op.args.token)?.family.connection
        if (connection !== undefined && op.args.client === "right" && op.outcome._tag !== "refused") {
          this.mayEnd(op, connection, "the app revoked it")
        }
        return
      }
      case "disconnect": {
        const connection = this.connections.get(op.args.connectionId)
        if (connection !== undefined && op.outcome._tag !== "refused") {
          this.mayEnd(op, connection, "the user disconnected it")
        }
        return
      }
      case "changeConnection":
      case "endExactLocation": {
        const connection = this.connections.get(op.args.connectionId)
        if (connection === undefined || op.outcome._tag === "refused") return
        return steeringBegun(this, op, connection, (settle) => this.underWay.add(op, settle))
      }
      default:
        return
    }
  }

  private done(op: Op): void {
    this.apps.done(op)
    const settle = this.underWay.end(op)
    switch (op.name) {
      case "signUp":
        if (op.outcome._tag === "ok") this.emails.set(op.outcome.value.userId, op.args.email)
        return
      case "call":
        return void this.calls.push(this.call(op))
      case "exchange":
        return this.exchangeDone(op, settle)
      case "refresh":
        return this.refreshDone(op, settle)
      case "revoke": {
        const token = this.tokens.get(op.args.token)
        const isOwn = token?.family.connection.appId === op.args.appId
        const ends = token === undefined || !isOwn ? "nothing" : this.endedBy(op, token)
        settle(ends)
        return void this.revokes.push({ op, token, isOwn, ends })
      }
      case "consent":
        this.consentDone(op)
        return settle(came(op))
      case "changeConnection":
      case "endExactLocation": {
        const connection = this.connections.get(op.args.connectionId)
        if (connection !== undefined) this.steerings.push(steeringDone(this, op, connection))
        return settle(came(op))
      }
      case "pauseConnection":
      case "resumeConnection": {
        const connection = this.connections.get(op.args.connectionId)
        if (connection !== undefined) this.steerings.push(steeringDone(this, op, connection))
        return settle(came(op))
      }
      default:
        settle(came(op))
    }
  }

  // ---- consents

  private consentBegun(op: OpOf<"consent">): void {
    if (op.outcome._tag === "refused") return
    const pair = pairOf(op)
    into(this.consentsOf, pair, op)
    const ofPair = this.pairs.get(pair) ?? []
    this.pairs.set(pair, ofPair)
    if (op.outcome._tag === "unknown") {
      // The trace does not show which connection this consent changed, so the consent may have changed each of the
      // connections between this user and this app.
      for (const connection of ofPair) {
        this.writeGrant(op, connection, undefined)
        this.endTokens(op, connection)
      }
      return
    }
    const { code, connectionId, mode } = op.outcome.value
    const before = ofPair.at(-1)
    const found = this.connections.get(connectionId)
    const connection: Connection = found ?? {
      id: connectionId,
      userId: op.args.userId,
      appId: op.args.appId,
      made: op,
      grant: new Register(),
      standard: new Register(),
      family: new Register(),
      ended: new Finality(),
      agreed: new Set()
    }
    if (found === undefined) {
      this.connections.set(connectionId, connection)
      ofPair.push(connection)
    }
    this.openConsents.set(op.from, { connection, before })
    // The trace shows this connection for the first time, although the answer says that the connection existed before.
    // Earlier consents whose answers were lost may have made or changed the connection.
    if (found === undefined && mode !== "new") this.writeUnanswered(op, connection)
    this.writeGrant(op, connection, mode)
    // Two consents at the same time may both get the answer that the connection is new. Then the second consent found
    // the connection that the first consent made, and ended the tokens of this connection.
    if (mode !== "new" || found !== undefined) this.endTokens(op, connection)
    this.codes.set(code, { connection, issued: op, uses: [] })
  }

  private writeUnanswered(by: OpOf<"consent">, connection: Connection): void {
    for (const op of this.consentsOf.get(pairOf(by)) ?? []) {
      if (op.outcome._tag !== "unknown") continue
      this.writeGrant(op, connection, undefined)
      this.endTokens(op, connection)
      if (op.to < by.from) this.underWay.end(op)(came(op))
    }
  }

  /** Records the consent when it ends, because only then all operations that overlap it are known. */
  private consentDone(op: OpOf<"consent">): void {
    const consent = this.openConsents.get(op.from)
    if (consent === undefined) return
    const { before, connection } = consent
    const isUnsure = (this.consentsOf.get(pairOf(op)) ?? []).some(
      (other) => other.from < op.to && (other.outcome._tag === "unknown" || (other !== op && other.to > op.from))
    )
    const open: Alive = { life: "open", why: "another consent came in between, or is unknown" }
    const none: Alive = { life: "dead", why: "there was none" }
    const was = isUnsure ? open : before === undefined ? none : alive(this.trace, this.apps, before, op)
    const stood = before === undefined ? undefined : situations(this.trace, this.apps, before, op)
    if (op.outcome._tag === "ok" && op.outcome.value.mode === "renew_sensitive") renewalDone(op, connection)
    this.consents.push({ op, connection, before, beforeWas: was, situations: stood })
  }

  /** Records the grant of a consent. `mode` is undefined when the consent got no answer, and perhaps made no grant. */
  private writeGrant(op: OpOf<"consent">, connection: Connection, mode: string | undefined): void {
    const { requested, scopes, sensitiveDays, standardDays } = op.args
    const isRenewal = mode === "renew_sensitive"
    const chosen = isRenewal ? chosenBy(op.args) : mode === undefined && scopes.length === 0 ? undefined : scopes
    for (const scope of chosen ?? [...requested, ...scopes]) connection.agreed.add(scope)
    const isSensitive = chosen?.some((scope) => SENSITIVE.has(scope))
    const sensitive = isSensitive === undefined ? undefined : isSensitive ? daysAfter(op, sensitiveDays) : null
    const held = chosen === undefined ? undefined : scopesGranted(op, connection, mode, chosen)
    const grant: Grant = { scopes: held, sensitive, by: op }
    const grants = connection.grant.begin(op, grant)
    this.underWay.add(op, (came) => connection.grant.settle(grants, op, came))
    if (isRenewal && connection.made !== op) return
    const standard = isRenewal ? undefined : standardDays === null ? null : daysAfter(op, standardDays)
    const dates = connection.standard.begin(op, standard)
    this.underWay.add(op, (came) => connection.standard.settle(dates, op, came))
  }

  // ---- tokens

  /** Ends the tokens that the connection had before a renewal or change (Spec §3.1). */
  private endTokens(op: OpOf<"consent">, { family }: Connection): void {
    const handle = family.begin(op, null)
    this.underWay.add(op, (came) => family.settle(handle, op, came))
  }

  private call(op: OpOf<"call">): CallFact {
    const known = this.tokens.get(op.args.token)
    const token = known?.kind === "access" ? known : undefined
    const required = REQUIRED[op.args.request.endpoint]
    const connection = token?.family.connection
    const purpose =
      connection !== undefined && SENSITIVE.has(required)
        ? purposeVerdicts(this.apps.apps.get(connection.appId), op.args.purpose, required, op)
        : undefined
    return {
      op,
      token,
      admitted: token === undefined ? { life: "dead", why: "nobody issued it" } : this.admitted(token, op),
      situations: connection === undefined ? undefined : situations(this.trace, this.apps, connection, op),
      purpose
    }
  }

  /**
   * Whether the service must accept the token, considering its age, its family and its connection (Spec §2.1, §3.1).
   */
  private admitted({ family, issued }: Token, op: Span): Alive {
    const age: Alive =
      op.tMin - issued.tMax >= ACCESS_LIFETIME
        ? { life: "dead", why: "it was 3600 s old" }
        : op.tMax - issued.tMin < ACCESS_LIFETIME
          ? { life: "live", why: "live" }
          : { life: "open", why: "its age is on the edge" }
    return all([age, familyAlive(family, op), alive(this.trace, this.apps, family.connection, op)])
  }

  private exchangeDone(op: OpOf<"exchange">, settle: (came: Came) => void): void {
    const fact = this.exchange(op)
    this.exchanges.push(fact)
    // An exchange can issue tokens or, when its code was used before, end tokens.
    settle(fact.reuse === "nothing" ? came(op) : fact.reuse)
    const { code } = fact
    if (code === undefined || op.outcome._tag === "refused" || fact.why === "not its client") return
    const family = op.outcome._tag === "ok" ? this.familyWith(op.outcome.value.refreshToken, code.connection, op) : null
    code.uses.push({ ...spanOf(op), certain: op.outcome._tag === "ok", family })
    if (op.outcome._tag !== "ok" || family === null) return
    const { accessToken, refreshToken } = op.outcome.value
    this.learn(accessToken, "access", family, op)
    if (!this.tokens.has(refreshToken)) this.learn(refreshToken, "refresh", family, op)
  }

  private exchange(op: OpOf<"exchange">): ExchangeFact {
    const code = this.codes.get(op.args.code)
    const fail = (why: ExchangeFact["why"], reuse: Came = "nothing"): ExchangeFact => ({
      op,
      code,
      must: "fail",
      why,
      reuse
    })
    if (code === undefined) return fail("unknown")
    if (op.args.client === "wrong" || code.connection.appId !== op.args.appId) return fail("not its client")
    if (op.args.redirectUri === "wrong") return fail("wrong redirect URI")
    if (op.args.verifier === "wrong") return fail("wrong verifier")
    const life = alive(this.trace, this.apps, code.connection, op)
    const used = code.uses.find(({ certain, to }) => certain && to < op.from)
    if (used !== undefined) {
      const family = used.family === null ? undefined : familyAlive(used.family, op).life
      const isSure = family === "live" && life.life === "live" && op.outcome._tag === "refused"
      return fail("used", isSure ? "done" : family === "dead" || life.life === "dead" ? "nothing" : "maybe")
    }
    if (life.life === "dead") return fail("over")
    const isExchanged = this.underWay.others("exchange", op).some(({ args }) => args.code === op.args.code)
    const maybeUsed = isExchanged || code.uses.some(({ from }) => from <= op.to)
    const reuse: Came = maybeUsed ? "maybe" : "nothing"
    const { tMax, tMin } = code.issued
    if (op.tMin - tMax >= CODE_LIFETIME) return fail("too old", reuse)
    const isOpen =
      maybeUsed ||
      life.life === "open" ||
      op.tMax - tMin >= CODE_LIFETIME ||
      // The specification does not say whether a code stays valid after a later consent.
      code.connection.grant.candidates(op.from, op.to).some(({ from }) => from > code.issued.from)
    return { op, code, must: isOpen ? "open" : "succeed", why: isOpen ? "open" : "fresh", reuse }
  }

  private readonly families = new Map<string, Family>()
  private familyWith(refreshToken: string, connection: Connection, by: OpOf<"exchange">): Family {
    const family = this.families.get(refreshToken) ?? { connection, by }
    this.families.set(refreshToken, family)
    return family
  }

  private refreshDone(op: OpOf<"refresh">, settle: (came: Came) => void): void {
    const fact = this.refresh(op)
    this.refreshes.push(fact)
    settle(fact.leak)
    const { token } = fact
    if (token === undefined || op.outcome._tag === "refused" || fact.why === "not its client") return
    token.spent.push({ ...spanOf(op), certain: op.outcome._tag === "ok" })
    if (op.outcome._tag !== "ok") return
    const { accessToken, refreshToken } = op.outcome.value
    this.learn(accessToken, "access", token.family, op)
    const child = this.tokens.get(refreshToken) ?? this.learn(refreshToken, "refresh", token.family, op)
    const last = lastKnown(token)
    // `child` is the token that replaced `last`. If the presented token was already spent, `last` is the last of the
    // tokens that followed from it, one after the other, that a refresh may have spent. When the app did not get the
    // answer of the refresh that spent `last`, the answer of `op` is the first that contains `child`.
    if (!leadsTo(child, last)) last.child ??= child
  }

  private refresh(op: OpOf<"refresh">): RefreshFact {
    const known = this.tokens.get(op.args.refreshToken)
    const token = known?.kind === "refresh" ? known : undefined
    const be = (must: Must, why: RefreshFact["why"], leak: Came = "nothing"): RefreshFact => ({
      op,
      token,
      must,
      why,
      leak
    })
    if (token === undefined) return be("fail", "unknown")
    if (op.args.client === "wrong" || token.family.connection.appId !== op.args.appId) {
      return be("fail", "not its client")
    }
    const { life } = all([familyAlive(token.family, op), alive(this.trace, this.apps, token.family.connection, op)])
    if (life === "dead") return be("fail", "revoked")
    const others = this.underWay.others("refresh", op)
    const rotations = [...token.spent, ...others.filter(({ args }) => args.refreshToken === op.args.refreshToken)]
    if (rotations.length === 0) return be(life === "live" ? "succeed" : "open", life === "live" ? "unspent" : "open")
    const earliest = Math.min(...rotations.map(({ tMin }) => tMin))
    const sure = token.spent.filter(({ certain, to }) => certain && to < op.from)
    const latest = Math.min(...sure.map(({ tMax }) => tMax))
    if (op.tMax - earliest <= RACE_WINDOW)
      return be(life === "live" ? "succeed" : "open", life === "live" ? "race" : "open")
    if (op.tMin - latest > RACE_WINDOW) {
      const isSure = life === "live" && op.outcome._tag === "refused"
      return be("fail", "spent", isSure ? "done" : op.outcome._tag === "ok" ? "nothing" : "maybe")
    }
    return be("open", "open", op.outcome._tag === "ok" ? "nothing" : "maybe")
  }

  private endedBy(op: OpOf<"revoke">, token: Token): Came {
    if (op.args.client === "wrong" || op.outcome._tag === "refused") return "nothing"
    const { life } = familyAlive(token.family, op)
    if (life === "dead") return "nothing"
    // The service deletes an access token a day after the token's end, and then cannot find the token's owner.
    const isForgotten = token.kind === "access" && op.tMax - token.issued.tMin >= ACCESS_REMEMBERED
    return op.outcome._tag === "ok" && life === "live" && !isForgotten ? "done" : "maybe"
  }

  private learn(alias: string, kind: Token["kind"], family: Family, op: Span): Token {
    const known = this.tokens.get(alias)
    if (known !== undefined) return known
    const token: Token = { alias, kind, family, issued: spanOf(op), spent: [], child: undefined }
    this.tokens.set(alias, token)
    return token
  }

  private mayEnd(op: Op, connection: Connection, why: string): void {
    const handle = connection.ended.begin(op, why)
    const isExchange = op.name === "exchange"
    this.underWay.add(op, (came) => {
      // An exchange that succeeded did not end the connection.
      connection.ended.settle(handle, op, isExchange && op.outcome._tag === "ok" ? "nothing" : came)
    })
  }
}

const pairOf = ({ args }: OpOf<"consent">): string => `${args.userId} ${args.appId}`
