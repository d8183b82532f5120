import { Effect, Option } from "effect"
import { Password } from "../../../../src/accounts/Account.js"
import { authenticateSession, endOtherSessions, signOut } from "../../../../src/accounts/sessions.js"
import { signIn } from "../../../../src/accounts/signIn.js"
import { changePassword } from "../../../../src/credentials/changePassword.js"
import { Vault } from "../../../../src/shared/Vault.js"
import { account, type Handlers, PASSWORD } from "./Handlers.js"

/** The passwords of an account by their numbers. Anything below 0 is a guess that no account has. */
const passwordOf = (number: number): Password =>
  Password.make(number === 0 ? PASSWORD : number < 0 ? "a guess of somebody else" : `${PASSWORD} and ${number} carrots`)

const NOT_SIGNED_IN = { _tag: "NotSignedIn" }

/** The owner of a session, as the service finds out before it does what a page asks for. */
const owner = (cookie: string) =>
  Effect.flatMap(
    authenticateSession(cookie),
    Option.match({ onNone: () => Effect.fail(NOT_SIGNED_IN), onSome: Effect.succeed })
  )

/** What people do with their accounts, and thieves with their cookies. */
export const accounts: Handlers<"signIn" | "useCookie" | "signOut" | "endOtherSessions" | "changePassword"> = {
  signIn: ({ address, password, userId }, registry) =>
    Effect.gen(function* () {
      const { email } = yield* account(registry, userId)
      const { cookie } = yield* signIn({ email, password: passwordOf(password), address })
      return { cookie: registry.secrets.alias("cookie", cookie) }
    }),

  useCookie: ({ cookie }, { secrets }) =>
    Effect.map(
      authenticateSession(secrets.raw(cookie)),
      Option.match({ onNone: () => ({ userId: null }), onSome: ({ id }) => ({ userId: id }) })
    ),

  signOut: ({ cookie }, { secrets }) => Effect.as(signOut(secrets.raw(cookie)), null),

  endOtherSessions: ({ cookie }, { secrets }) =>
    Effect.gen(function* () {
      const { id } = yield* owner(secrets.raw(cookie))
      return { ended: yield* endOtherSessions(id, secrets.raw(cookie)) }
    }),

  changePassword: ({ address, cookie, next, password }, { secrets }) =>
    Effect.gen(function* () {
      const raw = secrets.raw(cookie)
      const signedIn = yield* owner(raw)
      const fresh = yield* changePassword(signedIn, {
        password: passwordOf(password),
        newPassword: passwordOf(next),
        address,
        session: (yield* Vault).sha256(raw)
      })
      return { cookie: Option.getOrNull(Option.map(fresh, (one) => secrets.alias("cookie", one))) }
    })
}
