import { Account, AccountStore, authenticateSession, createAccount, signIn } from "@place-access/domain/accounts"
import { App, createApp, decideApp, submitApp } from "@place-access/domain/apps"
import { AuditLog } from "@place-access/domain/audit"
import { Verdict } from "@place-access/domain/reviews"
import { type AppId, Scope, type UserId } from "@place-access/domain/shared"
import { changeRole, resumeAccount, suspendAccount } from "@place-access/domain/staff"
import { Effect, Either, FastCheck as fc, Option } from "effect"
import { expect } from "vitest"

/**
 * Generates random scenarios of three people who give and take roles, suspend each other and review apps. Runs them
 * against any stores that have no other account. Compares each result with a second implementation of the guarantees:
 *
 * - One active admin is always left.
 * - A suspended account neither signs in nor uses an old session. The old session works again when the account is
 *   resumed.
 * - Nobody decides about their own app while somebody else can.
 * - Each change is one event of the audit log, and no event contains a secret.
 */

export type StaffStep =
  | { readonly _tag: "SignIn"; readonly who: number }
  | { readonly _tag: "Role"; readonly by: number; readonly who: number; readonly role: Role; readonly isGiven: boolean }
  | { readonly _tag: "Suspend" | "Resume"; readonly by: number; readonly who: number }
  | { readonly _tag: "Decide"; readonly by: number; readonly about: number }

type Role = "reviewer" | "admin"

const PEOPLE = 3
/** Stands for the operator, who needs no session. */
const OPERATOR = PEOPLE
const PASSWORD = Account.Password.make("correct horse battery")

const who = fc.nat({ max: PEOPLE - 1 })
const by = fc.oneof({ weight: 3, arbitrary: who }, { weight: 1, arbitrary: fc.constant(OPERATOR) })

const step: fc.Arbitrary<StaffStep> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("SignIn" as const), who }) },
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Role" as const),
      by,
      who,
      role: fc.constantFrom<Role>("admin", "admin", "reviewer"),
      isGiven: fc.boolean()
    })
  },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Suspend" as const), by, who }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Resume" as const), by, who }) },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Decide" as const), by: who, about: who }) }
)

export const staffLives = fc.array(step, { minLength: 1, maxLength: 25 })

/** The marks that the scenarios together must reach. */
export const STAFF_MARKS = [
  "decided about another's",
  "decided alone about their own",
  "last admin kept",
  "refused about their own",
  "session back",
  "session paused",
  "sign-in refused"
]

interface Person {
  readonly id: UserId
  readonly email: Account.Email
  readonly appId: AppId
  readonly roles: Set<Role>
  readonly cookies: Array<string>
  isSuspended: boolean
  wasSuspended: boolean
}

const NOTE = Verdict.Note.make("Say what for.")

export const liveStaff = (steps: ReadonlyArray<StaffStep>, met: Set<string>, domain: string) =>
  Effect.gen(function* () {
    const people: Array<Person> = []
    for (let index = 0; index < PEOPLE; index++) {
      const email = Account.Email.make(`person${index}@${domain}`)
      const roles: ReadonlyArray<Role> = index === 0 ? ["admin"] : []
      const account = yield* createAccount({ email, password: PASSWORD, roles })
      const app = yield* createApp(account, {
        name: App.AppName.make("Coffee Finder"),
        description: App.AppDescription.make("Finds good coffee near where you are."),
        homepageUrl: null,
        scopes: Scope.all
      })
      const isFirst = { isSuspended: false, wasSuspended: false, cookies: [] }
      people.push({ id: account.id, email, appId: app.id, roles: new Set(roles), ...isFirst })
    }
    const person = (index: number): Person => people[index] as Person
    const expected: Array<string> = []
    const active = (role: Role, without?: Person) =>
      people.filter((one) => one !== without && !one.isSuspended && one.roles.has(role))

    /**
     * The account of the person's newest session; undefined when this session is not valid. The operator needs no
     * session.
     */
    const acting = (index: number) =>
      Effect.gen(function* () {
        if (index === OPERATOR) return "operator" as const
        const cookie = person(index).cookies.at(-1)
        return cookie === undefined ? undefined : Option.getOrUndefined(yield* authenticateSession(cookie))
      })

    const changed = (
      { by, who }: { readonly by: number; readonly who: number },
      change: (manager: Account.Account | "operator", id: UserId) => ReturnType<typeof suspendAccount>,
      { kind, leavesNone, isNew, apply }: Change
    ) =>
      Effect.gen(function* () {
        const manager = yield* acting(by)
        if (manager === undefined) return
        const may = manager === "operator" || person(by).roles.has("admin")
        const outcome = yield* Effect.either(change(manager, person(who).id))
        if (!may) return expect(Either.isLeft(outcome) && outcome.left._tag).toBe("Forbidden")
        if (leavesNone) {
          met.add("last admin kept")
          return expect(Either.isLeft(outcome) && outcome.left._tag).toBe("Conflict")
        }
        expect(Either.isRight(outcome)).toBe(true)
        if (!isNew) return
        apply(person(who))
        expected.push(`${kind} ${person(who).id}`)
      })

    for (const one of steps) {
      switch (one._tag) {
        case "SignIn": {
          const { cookies, email, id, isSuspended } = person(one.who)
          const outcome = yield* Effect.either(signIn({ email, password: PASSWORD, address: `${domain} ${one.who}` }))
          expect(Either.isLeft(outcome) ? outcome.left._tag : "SignedIn").toBe(isSuspended ? "Forbidden" : "SignedIn")
          if (isSuspended) met.add("sign-in refused")
          if (Either.isRight(outcome)) {
            cookies.push(outcome.right.cookie)
            expected.push(`sign_in ${id}`)
          }
          break
        }
        case "Role": {
          const target = person(one.who)
          const isNew = target.roles.has(one.role) !== one.isGiven
          yield* changed(one, (manager, id) => changeRole(manager, id, one), {
            kind: one.isGiven ? "role_given" : "role_taken",
            isNew,
            leavesNone:
              isNew &&
              !one.isGiven &&
              one.role === "admin" &&
              !target.isSuspended &&
              active("admin", target).length === 0,
            apply: ({ roles }) => (one.isGiven ? roles.add(one.role) : roles.delete(one.role))
          })
          break
        }
        case "Suspend": {
          const target = person(one.who)
          yield* changed(one, suspendAccount, {
            kind: "account_suspended",
            isNew: !target.isSuspended,
            leavesNone: !target.isSuspended && target.roles.has("admin") && active("admin", target).length === 0,
            apply: (found) => {
              found.isSuspended = true
              found.wasSuspended = true
            }
          })
          break
        }
        case "Resume":
          yield* changed(one, resumeAccount, {
            kind: "account_resumed",
            isNew: person(one.who).isSuspended,
            leavesNone: false,
            apply: (found) => {
              found.isSuspended = false
            }
          })
          break
        case "Decide": {
          const reviewer = yield* acting(one.by)
          const owner = yield* Effect.map((yield* AccountStore).find(person(one.about).id), Option.getOrThrow)
          if (reviewer === undefined || reviewer === "operator") break
          const submitted = yield* Effect.either(submitApp(owner, person(one.about).appId, "assumed", "unchecked"))
          const { isSuspended } = person(one.about)
          expect(Either.isLeft(submitted) ? submitted.left._tag : "Submitted").toBe(
            isSuspended ? "NotFound" : "Submitted"
          )
          if (isSuspended) break
          const verdict: Verdict.Verdict = { decision: "reject", note: NOTE, revision: "unchecked" }
          const outcome = yield* Effect.either(decideApp(reviewer, person(one.about).appId, verdict))
          const me = person(one.by)
          const others = new Set([...active("reviewer", me), ...active("admin", me)])
          const may = me.roles.size > 0 && (one.by !== one.about || others.size === 0)
          expect(Either.isLeft(outcome) ? outcome.left._tag : "Decided").toBe(may ? "Decided" : "Forbidden")
          if (may) {
            expected.push(`review_decided ${owner.id}`)
            met.add(one.by === one.about ? "decided alone about their own" : "decided about another's")
          } else {
            if (me.roles.size > 0) met.add("refused about their own")
            // Another admin rejects the app, so that a later step can submit the app again.
            const other = { ...reviewer, id: `${reviewer.id}_other` as UserId, roles: ["admin"] as const }
            yield* decideApp(other, person(one.about).appId, verdict)
            expected.push(`review_decided ${owner.id}`)
          }
          break
        }
      }
      expect(active("admin").length).toBeGreaterThan(0)
      for (const { cookies, isSuspended, wasSuspended } of people) {
        for (const cookie of cookies) {
          expect(Option.isSome(yield* authenticateSession(cookie))).toBe(!isSuspended)
          met.add(isSuspended ? "session paused" : wasSuspended ? "session back" : "")
        }
      }
    }

    const log = yield* AuditLog
    const events = []
    for (const { id } of people) events.push(...(yield* log.list({ userId: id }, 500, undefined)).items)
    const own = [...new Map(events.map((event) => [event.id, event])).values()].filter(
      ({ detail }) => detail.kind !== "account_made"
    )
    expect(own.map(({ detail, userId }) => `${detail.kind} ${userId}`).sort()).toEqual(expected.sort())
    const written = JSON.stringify(own)
    const secrets = [PASSWORD, ...people.flatMap(({ cookies, email }) => [...cookies, email])]
    expect(secrets.filter((secret) => written.includes(secret))).toEqual([])
  })

interface Change {
  readonly kind: string
  readonly isNew: boolean
  readonly leavesNone: boolean
  readonly apply: (found: Person) => unknown
}
