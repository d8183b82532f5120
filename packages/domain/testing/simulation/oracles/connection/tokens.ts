import type { Oracle } from "../../Oracle.js"
import type { Entry } from "../../Trace.js"
import { mayLackItsSecret } from "../support/Clients.js"
import type { Token } from "../support/Connections.js"
import type { CallFact } from "../support/trace/Facts.js"
import type { Knowledge } from "../support/Knowledge.js"
import { isRefusedAs, oracle, type Say } from "../support/trace/oracle.js"
import { into } from "../support/trace/into.js"
import type { Op } from "../support/trace/Ops.js"
import { ACCESS_LIFETIME, HOUR, SECOND } from "../../Specification.js"
import { tokenAnswers } from "./tokenAnswers.js"

/**
 * Oracles of authorization codes, access tokens and refresh tokens. Spec §2.1, §3.1, §4.3, §5; decisions O5, O6 and O7.
 */

const isAnswered = ({ op }: CallFact): boolean => op.outcome._tag === "ok" && op.outcome.value.status !== 401
const isUnauthorised = ({ op }: CallFact): boolean => op.outcome._tag === "ok" && op.outcome.value.status === 401

const T1 = oracle(
  "T1",
  "An access token is accepted iff it is younger than 3600 s, its family lives and its standard tier lives (Spec §2.1, §5.9)",
  (known, say) => {
    for (const fact of known.calls) {
      const { admitted, op } = fact
      if (admitted.life === "dead" && isAnswered(fact)) say(op.to, `accepted although ${admitted.why}`)
      if (admitted.life === "live" && isUnauthorised(fact)) say(op.to, "401 although the token was live")
    }
    for (const { op } of [...known.exchanges, ...known.refreshes]) {
      if (op.outcome._tag === "ok" && op.outcome.value.expiresInS !== ACCESS_LIFETIME / SECOND)
        say(op.to, "expires_in is not 3600")
    }
  }
)

/** Matches a token, code or secret of the service that is neither hashed nor encrypted (decisions O5 and W1). */
const RAW = /\b(?:pa_(?:at|rt|ac|dv|ds)\.[\w-]{1,64}\.[\w-]{43,}|pa_cs_[\w-]{43,}|whsec_[\w-]{43,})/

const T2: Oracle = {
  ...oracle("T2", "No raw token, code or secret reaches a store, a log or the trace (Spec §2.1)", (_, say, run) => {
    for (const entry of run.entries) {
      if (entry.kind === "leak") say(entry.i, `${entry.alias} stood in ${entry.where}`)
      else if (RAW.test(textOf(entry))) say(entry.i, `a credential as it is in an entry of kind ${entry.kind}`)
    }
  }),
  survivesRestore: true
}

/**
 * The texts of an entry that must not contain a credential. The arguments and answers of actors are not among these
 * texts, because the simulation has replaced their secrets by aliases.
 */
const textOf = (entry: Entry): string => {
  switch (entry.kind) {
    case "posted":
      return JSON.stringify(entry.body)
    case "mailed":
      return entry.subject
    case "port":
      return "args" in entry || "value" in entry ? JSON.stringify([entry.args, entry.value]) : ""
    default:
      return ""
  }
}

const T3 = oracle(
  "T3",
  "A family has one unspent refresh token at most, and every refresh rotates it (Spec §2.1, §4.3.1)",
  (known, say) => {
    const children = new Map<string, string>()
    const fresh = new Set<string>()
    for (const { must, op, token, why } of known.refreshes) {
      if (why === "unspent" && must === "succeed" && isRefusedAs(op.outcome, "invalid_grant")) {
        say(op.to, "the unspent token of a live family was refused")
      }
      if (op.outcome._tag !== "ok") continue
      const { accessToken, refreshToken } = op.outcome.value
      if (refreshToken === op.args.refreshToken) say(op.to, "the presented token came back")
      if (fresh.has(accessToken)) say(op.to, "an access token was given twice")
      fresh.add(accessToken)
      if (token !== undefined) branch(known, children, token, refreshToken, op, say)
    }
  }
)

/**
 * Follows the chain of refresh tokens that begins with the presented token. A right answer contains the last token of
 * the chain, because only this token is unspent.
 */
const branch = (
  known: Knowledge,
  children: Map<string, string>,
  presented: Token,
  answer: string,
  op: { readonly from: number; readonly to: number },
  say: Say
): void => {
  let link = presented
  for (;;) {
    const childAlias = children.get(link.alias)
    if (childAlias === undefined) {
      children.set(link.alias, answer)
      return
    }
    const child = known.tokens.get(childAlias)
    if (child === undefined) return
    if (childAlias === answer) {
      if (child.spent.some(({ certain, to }) => certain && to < op.from)) say(op.to, "a spent token was given")
      return
    }
    if (!child.spent.some(({ from }) => from <= op.to)) {
      return say(op.to, `${childAlias} and ${answer} are both unspent`)
    }
    link = child
  }
}

const T4 = oracle(
  "T4",
  "A spent refresh token that comes within 30 s counts as a race; a later one is a leak, which ends the connection, with one e-mail (Spec §3.1, §4.3.2)",
  (known, say, run) => {
    for (const { must, op, why } of known.refreshes) {
      if (why === "race" && must === "succeed" && isRefusedAs(op.outcome, "invalid_grant")) {
        say(op.to, "refused within 30 s of its rotation")
      }
      if (why === "spent" && op.outcome._tag === "ok") say(op.to, "accepted more than 30 s after its rotation")
    }
    saysAliveAfter(known, say, "a spent refresh token was presented")
    const { leaks, mails, nameless } = leakMails(known)
    const end = run.entries.at(-1)?.i
    const isWorking = run.entries.some(({ proc }) => proc.startsWith("worker"))
    for (const [to, { certain, possible }] of leaks) {
      const sent = mails.get(to) ?? []
      const last = sent.at(-1)
      if (last !== undefined && sent.length > possible) say(last, `${sent.length} e-mails about ${possible} leaks`)
      // A mail may be missing because of a fault. So a mail must exist only for a leak after which no fault struck. A
      // mail that the mail server did not accept also counts as existing, because the trace contains this mail.
      const calm = certain.filter(({ to: at }) => known.trace.isCalm(at, end ?? at))
      const due = !isWorking ? 0 : nameless.has(to) ? apart(known, calm) : calm.length
      if (run.quiesced && end !== undefined && sent.length < due) say(end, `${sent.length} e-mails about ${due} leaks`)
    }
  }
)

/**
 * The smallest number of mails about leaks that must exist. One mail that names no app stands for all leaks within an
 * hour, so the function counts leaks that are an hour apart (decision mail-2). Returns 0 if the clock was set back,
 * because then times do not show which leaks are an hour apart.
 */
const apart = (known: Knowledge, leaks: ReadonlyArray<Op>): number => {
  if (known.trace.wentBack) return 0
  const timeAt = (i: number): number => known.trace.entries[i]?.t ?? 0
  let counted = 0
  let until = -Infinity
  for (const { from, to } of leaks.toSorted((a, b) => a.to - b.to)) {
    if (timeAt(from) < until) continue
    counted += 1
    until = timeAt(to) + HOUR
  }
  return counted
}

/** Reports each call and each refresh that succeeded although the connection had ended for the reason `why`. */
const saysAliveAfter = (known: Knowledge, say: Say, why: string): void => {
  for (const fact of known.calls) {
    if (fact.token !== undefined && fact.admitted.why === why && isAnswered(fact))
      say(fact.op.to, `accepted after ${why}`)
  }
  for (const { op, token } of known.refreshes) {
    const ended = token?.family.connection.ended.before(op.from)
    if (op.outcome._tag === "ok" && ended === why) say(op.to, `refreshed after ${why}`)
  }
}

const first = (map: Map<string, number>, key: string, at: number): void => {
  if (!map.has(key)) map.set(key, at)
}

/** Matches the subject of a mail about a leak. The other words of the subject do not matter (Spec §3.1, §4.3). */
const LEAK = /was disconnected/i
/**
 * Matches the subject of a leak mail that names no app. The service leaves names out when a recipient got too many
 * mails with a name.
 */
const NAMELESS = /^an app was disconnected/i

const leakMails = (known: Knowledge) => {
  const leaks = new Map<string, { certain: ReadonlyArray<Op>; possible: number }>()
  const mails = new Map<string, Array<number>>()
  const all = [
    ...known.refreshes.map(({ leak, op, token }) => ({ leak, op, userId: token?.family.connection.userId })),
    ...known.exchanges.map(({ code, op, reuse }) => ({ leak: reuse, op, userId: code?.connection.userId }))
  ]
  for (const { leak, op, userId } of all) {
    const to = userId === undefined ? undefined : known.emails.get(userId)
    if (to === undefined || leak === "nothing") continue
    const { certain, possible } = leaks.get(to) ?? { certain: [], possible: 0 }
    leaks.set(to, { certain: leak === "done" ? [...certain, op] : certain, possible: possible + 1 })
  }
  // A message that was sent more than once has one id, and counts once.
  const ids = new Set<string>()
  const nameless = new Set<string>()
  for (const entry of known.trace.entries) {
    if (entry.kind !== "mailed" || !LEAK.test(entry.subject) || ids.has(entry.id)) continue
    ids.add(entry.id)
    into(mails, entry.to, entry.i)
    if (NAMELESS.test(entry.subject)) nameless.add(entry.to)
  }
  return { leaks, mails, nameless }
}

/** For each address that got an e-mail about a leak although its user had no leak: the first of these e-mails. */
const groundlessMails = (known: Knowledge): ReadonlyMap<string, number> => {
  const { leaks, mails } = leakMails(known)
  return new Map(
    [...mails].flatMap(([to, [at]]) =>
      at === undefined || (leaks.get(to)?.possible ?? 0) > 0 ? [] : [[to, at] as const]
    )
  )
}

const T5 = oracle(
  "T5",
  "A refresh token that was revoked already is refused with invalid_grant: nothing is flagged, mailed or ended (Spec §4.3.2)",
  (known, say) => {
    const quiet = new Map<string, number>()
    for (const { op, token, why } of known.refreshes) {
      if (why !== "revoked" || token === undefined) continue
      first(quiet, token.family.connection.id, op.to)
      if (op.outcome._tag === "ok") say(op.to, "a revoked refresh token was accepted")
      else if (op.outcome._tag === "refused" && !isRefusedAs(op.outcome, "invalid_grant")) {
        const isStranger = isRefusedAs(op.outcome, "invalid_client") && mayLackItsSecret(known, op.args.appId, op)
        if (!isStranger) say(op.to, `refused as ${op.outcome.error}, not invalid_grant`)
      }
    }
    for (const [, at] of groundlessMails(known)) say(at, "an e-mail about a leak that was none")
    for (const fact of known.calls) {
      const presented = fact.token === undefined ? undefined : quiet.get(fact.token.family.connection.id)
      if (presented === undefined || presented > fact.op.from) continue
      if (fact.admitted.life === "live" && isUnauthorised(fact))
        say(fact.op.to, "a revoked refresh token ended a live family")
    }
  }
)

const T6 = oracle(
  "T6",
  "A code can be exchanged once, within 60 s, with its redirect URI; a second use with the right verifier ends the tokens that the code issued, a use with a wrong verifier or redirect URI changes nothing (Spec §2.1, §3.1, §4.3, decision O7)",
  (known, say) => {
    const issued = new Map<string, string>()
    /**
     * The first use of a code with a wrong verifier or redirect URI. Each use is stored under two keys: the
     * connection's id and the user's e-mail address.
     */
    const wrong = new Map<string, number>()
    for (const { code, must, op, why } of known.exchanges) {
      if (code !== undefined && (why === "wrong verifier" || why === "wrong redirect URI")) {
        first(wrong, code.connection.id, op.to)
        first(wrong, known.emails.get(code.connection.userId) ?? "", op.to)
      }
      if (op.outcome._tag === "ok") {
        const { refreshToken } = op.outcome.value
        if (must === "fail") say(op.to, `exchanged although: ${why}`)
        else if ((issued.get(op.args.code) ?? refreshToken) !== refreshToken) say(op.to, "a code was exchanged twice")
        issued.set(op.args.code, refreshToken)
      } else if (must === "succeed" && isRefusedAs(op.outcome, "invalid_grant")) {
        say(op.to, "a fresh code was refused")
      }
    }
    saysAliveAfter(known, say, "its code was used twice")
    for (const fact of known.calls) {
      const tried = fact.token === undefined ? undefined : wrong.get(fact.token.family.connection.id)
      if (tried === undefined || tried > fact.op.from) continue
      if (fact.admitted.life === "live" && isUnauthorised(fact)) say(fact.op.to, "a wrong exchange ended it")
    }
    for (const [to, at] of groundlessMails(known)) {
      if ((wrong.get(to) ?? Infinity) < at) say(at, "an e-mail about a leak after a wrong exchange")
    }
  }
)

const T7 = oracle(
  "T7",
  "Expired and revoked tokens get the same answer, whatever ended them (Spec §7)",
  (known, say) => {
    let first: string | undefined
    for (const { admitted, op } of known.calls) {
      if (op.outcome._tag !== "ok" || op.outcome.value.status < 400) continue
      const { value } = op.outcome
      if (value.status !== 401) {
        if (admitted.life === "dead") say(op.to, `${value.status} for a token that is dead: ${admitted.why}`)
        continue
      }
      const answer = JSON.stringify(value)
      first ??= answer
      if (answer !== first) say(op.to, `a 401 that differs from the others: ${answer}`)
    }
  }
)

const T8 = oracle(
  "T8",
  "Revoke is 200 and empty unless the client's credentials are wrong; another app's token revokes nothing (Spec §4.3.4)",
  (known, say) => {
    const foreign = new Map<string, number>()
    for (const { isOwn, op, token } of known.revokes) {
      const isStranger = isRefusedAs(op.outcome, "invalid_client") && mayLackItsSecret(known, op.args.appId, op)
      if (op.args.client === "wrong" ? op.outcome._tag === "ok" : op.outcome._tag === "refused" && !isStranger) {
        say(op.to, op.args.client === "wrong" ? "accepted from a wrong client" : "refused to its own client")
      }
      if (token !== undefined && (!isOwn || op.args.client === "wrong"))
        first(foreign, token.family.connection.id, op.to)
    }
    saysAliveAfter(known, say, "the app revoked it")
    for (const fact of known.calls) {
      const tried = fact.token === undefined ? undefined : foreign.get(fact.token.family.connection.id)
      if (tried === undefined || tried > fact.op.from) continue
      if (fact.admitted.life === "live" && isUnauthorised(fact)) say(fact.op.to, "somebody else's revocation ended it")
    }
  }
)

export const tokens: ReadonlyArray<Oracle> = [T1, T2, T3, T4, T5, T6, T7, T8, ...tokenAnswers]
