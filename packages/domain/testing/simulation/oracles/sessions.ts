import type { Oracle } from "../Oracle.js"
import { GUESSES, GUESSES_REMEMBERED, SESSION_IDLE, SESSION_LONGEST, SESSION_RENEWED } from "../Specification.js"
import type { Knowledge } from "./support/Knowledge.js"
import { isRefusedAs, oracle, type Say } from "./support/trace/oracle.js"
import { type Came, Finality, Register } from "./support/trace/Pending.js"
import { type Op, type OpOf, type Span, spanOf } from "./support/trace/Ops.js"

/**
 * What the trace shows about one cookie of a session. The session's owner may use the cookie, or a thief who stole the
 * cookie.
 */
interface KnownSession {
  readonly userId: string
  readonly signedIn: OpOf<"signIn">
  /** The operation that issued this cookie: the sign-in or a change of the password. */
  readonly began: Op
  readonly ended: Finality
  readonly uses: Array<Span & { readonly isCertain: boolean }>
}

/** What the trace shows about accounts. */
interface KnownAccounts {
  readonly sessions: ReadonlyMap<string, KnownSession>
  /** For each account, the number of its present password. */
  readonly passwords: ReadonlyMap<string, Register<number>>
  /** For each account, the operations that check a password, in the order in which they began. */
  readonly checks: ReadonlyMap<string, ReadonlyArray<Check>>
}
type Check = OpOf<"signIn"> | OpOf<"changePassword">

const cameOf = ({ outcome }: Op): Came =>
  outcome._tag === "ok" ? "done" : outcome._tag === "refused" ? "nothing" : "maybe"

const cache = new WeakMap<Knowledge, KnownAccounts>()

const accountsOf = (known: Knowledge): KnownAccounts => {
  const before = cache.get(known)
  if (before !== undefined) return before
  const ops = [...known.trace.ops.values()]
  const sessions = new Map<string, KnownSession>()
  for (const op of ops) {
    if (op.name !== "signIn" || op.outcome._tag !== "ok") continue
    const began = { signedIn: op, began: op, ended: new Finality(), uses: [] }
    sessions.set(op.outcome.value.cookie, { userId: op.args.userId, ...began })
  }
  for (const op of ops) {
    if (op.name !== "changePassword" || op.outcome._tag !== "ok" || op.outcome.value.cookie === null) continue
    const own = sessions.get(op.args.cookie)
    // A change of the password replaces the cookie, and the session goes on. So the uses of the old cookie also count
    // for the new cookie.
    if (own !== undefined) sessions.set(op.outcome.value.cookie, { ...own, began: op, ended: new Finality() })
  }
  const passwords = new Map<string, Register<number>>()
  const checks = new Map<string, Array<Check>>()
  const check = (userId: string, op: Check) => checks.set(userId, [...(checks.get(userId) ?? []), op])
  for (const op of ops) {
    switch (op.name) {
      case "signUp":
        if (op.outcome._tag === "ok") write(passwords, op.outcome.value.userId, op, 0)
        break
      case "signIn":
        check(op.args.userId, op)
        break
      case "useCookie": {
        const isCertain = op.outcome._tag === "ok" && op.outcome.value.userId !== null
        if (isCertain || op.outcome._tag === "unknown") {
          sessions.get(op.args.cookie)?.uses.push({ ...spanOf(op), isCertain })
        }
        break
      }
      case "signOut":
        end(sessions.get(op.args.cookie), op, "its browser signed out")
        break
      case "endOtherSessions":
        endOthers(sessions, op, "another browser ended it")
        break
      case "changePassword": {
        const own = sessions.get(op.args.cookie)
        if (own === undefined) break
        check(own.userId, op)
        write(passwords, own.userId, op, op.args.next)
        endOthers(sessions, op, "the password was changed")
        end(own, op, "its cookie was replaced")
        if (!isRefusedAs(op.outcome, "NotSignedIn"))
          own.uses.push({ ...spanOf(op), isCertain: op.outcome._tag === "ok" })
        break
      }
    }
  }
  const made: KnownAccounts = { sessions, passwords, checks }
  cache.set(known, made)
  return made
}

const write = (passwords: Map<string, Register<number>>, userId: string, op: Op, value: number): void => {
  const register = passwords.get(userId) ?? new Register<number>()
  passwords.set(userId, register)
  register.settle(register.begin(op, value), op, cameOf(op))
}

const end = (session: KnownSession | undefined, op: Op, why: string, came: Came = cameOf(op)): void =>
  session?.ended.settle(session.ended.begin(op, why), op, came)

/**
 * Ends the other sessions of the account. A session whose sign-in overlaps `op` may survive: the sign-in may have
 * checked the password before `op` and stored its session afterwards.
 */
const endOthers = (
  sessions: ReadonlyMap<string, KnownSession>,
  op: OpOf<"endOtherSessions"> | OpOf<"changePassword">,
  why: string
): void => {
  const userId = sessions.get(op.args.cookie)?.userId
  for (const [cookie, other] of sessions) {
    if (cookie === op.args.cookie || other.userId !== userId || other.began === op || other.began.from > op.to) continue
    const came = cameOf(op)
    end(other, op, why, came === "done" && other.began.to > op.from ? "maybe" : came)
  }
}

/** The reason why the session is certainly over when the operation begins; undefined when the session may be alive. */
const over = ({ ended, signedIn, uses }: KnownSession, op: Span): string | undefined => {
  const lastUse = Math.max(signedIn.tMax, ...uses.filter(({ from }) => from < op.from).map(({ tMax }) => tMax))
  if (op.tMin - signedIn.tMax >= SESSION_LONGEST) return "its sign-in was 30 days ago"
  if (op.tMin - lastUse >= SESSION_IDLE) return "its last use was 14 days ago"
  return ended.before(op.from)
}

/** Whether the session is certainly alive until the operation ends. */
const isAlive = (known: Knowledge, { ended, signedIn, uses }: KnownSession, op: Span): boolean => {
  const renewals = uses.filter(({ from, isCertain, to }) => isCertain && to < op.from && known.trace.isCalm(from, to))
  const lastUse = Math.max(signedIn.tMin, ...renewals.map(({ tMin }) => tMin - SESSION_RENEWED))
  return !ended.maybeBy(op.to) && op.tMax - signedIn.tMin < SESSION_LONGEST && op.tMax - lastUse < SESSION_IDLE
}

const U1 = oracle(
  "U1",
  "A session's cookie signs its account in until the session is signed out, ended, replaced, 14 days unused, 30 days old, or older than the password (decisions accounts-6, accounts-10)",
  (known, say) => {
    const { sessions } = accountsOf(known)
    for (const op of known.trace.ops.values()) {
      if (op.name !== "useCookie" || op.outcome._tag !== "ok") continue
      const session = sessions.get(op.args.cookie)
      const { userId } = op.outcome.value
      if (userId === null) {
        if (session !== undefined && isAlive(known, session, op)) say(op.to, "a live session was refused")
      } else if (session === undefined || session.userId !== userId) {
        say(op.to, "a cookie was taken for somebody else's")
      } else {
        const why = over(session, op)
        if (why !== undefined) say(op.to, `a session still counted although ${why}`)
      }
    }
  }
)

const U2 = oracle(
  "U2",
  "A sign-in and a change need the account's present password (decisions A2, accounts-10)",
  (known, say) => {
    const { checks, passwords } = accountsOf(known)
    for (const [userId, all] of checks) {
      for (const op of all) {
        const present = passwords.get(userId)?.read(op.from, op.to) ?? []
        // A change of the password first checks the old password and then stores the new one. So while a change is in
        // progress, `present` contains both passwords, and the oracle accepts either.
        const isPresent = present.includes(op.args.password)
        if (op.outcome._tag === "ok" && !isPresent)
          say(op.to, `password ${op.args.password} was taken for the present one`)
        const isSure = present.every((one) => one === op.args.password)
        if (isPresent && isSure && isRefusedAs(op.outcome, "WrongCredentials"))
          say(op.to, "the present password was refused")
      }
    }
  }
)

const U3 = oracle(
  "U3",
  "Five failures of an account in 15 minutes close its sign-in, and fewer do not (decision A2)",
  (known, say) => {
    if (known.trace.wentBack) return
    for (const all of accountsOf(known).checks.values()) for (const op of all) judgeThrottle(all, op, say)
  }
)

const judgeThrottle = (all: ReadonlyArray<Check>, op: Check, say: Say): void => {
  if (op.outcome._tag === "unknown") return
  const others = all.filter((other) => other !== op)
  if (isRefusedAs(op.outcome, "TooManyAttempts")) {
    const failures = others.filter(
      (other) =>
        other.from < op.to &&
        op.tMin - other.tMax <= GUESSES_REMEMBERED &&
        (isRefusedAs(other.outcome, "WrongCredentials") || other.outcome._tag === "unknown" || other.to > op.from)
    )
    if (failures.length < GUESSES) say(op.to, `sign-in was closed after at most ${failures.length} failures`)
    return
  }
  if (op.outcome._tag === "refused" && !isRefusedAs(op.outcome, "WrongCredentials")) return
  // A check of the password that succeeded, or may have succeeded, resets the count of failures.
  const forgiven = Math.max(
    -1,
    ...others.filter((other) => other.from < op.to && mayForgive(other)).map(({ to }) => to)
  )
  const failures = others.filter(
    (other) =>
      other.from > forgiven &&
      other.to < op.from &&
      op.tMax - other.tMin < GUESSES_REMEMBERED &&
      isRefusedAs(other.outcome, "WrongCredentials")
  )
  if (failures.length >= GUESSES) say(op.to, `sign-in was open after ${failures.length} failures`)
}

const mayForgive = ({ outcome }: Check): boolean =>
  !isRefusedAs(outcome, "WrongCredentials") && !isRefusedAs(outcome, "TooManyAttempts")

/** Oracles of accounts, their sessions, and stolen cookies. */
export const sessions: ReadonlyArray<Oracle> = [U1, U2, U3]
