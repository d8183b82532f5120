import { Effect, Option } from "effect"
import { authenticateSession, endOtherSessions, signOut } from "../../../../src/accounts/sessions.js"
import { signIn } from "../../../../src/accounts/signIn.js"
import { changePassword } from "../../../../src/credentials/changePassword.js"
import { Vault } from "../../../../src/shared/Vault.js"
import { account, type Handlers, passwordOf, signedIn } from "./Handlers.js"

/** What people do with their accounts, and what thieves do with stolen cookies. */
export const accounts: Handlers<"signIn" | "useCookie" | "signOut" | "endOtherSessions" | "changePassword"> = {
  signIn: ({ address, password, userId }, registry) =>
    Effect.gen(function* () {
      const { email } = yield* account(registry, userId)
      const { cookie } = yield* signIn({ email, password: passwordOf(password, registry), address })
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
      const { id } = yield* signedIn(secrets.raw(cookie))
      return { ended: yield* endOtherSessions(id, secrets.raw(cookie)) }
    }),

  changePassword: ({ address, cookie, next, password }, registry) =>
    Effect.gen(function* () {
      const { secrets } = registry
      const raw = secrets.raw(cookie)
      const fresh = yield* changePassword(yield* signedIn(raw), {
        password: passwordOf(password, registry),
        newPassword: passwordOf(next, registry),
        address,
        session: (yield* Vault).sha256(raw)
      })
      return { cookie: Option.getOrNull(Option.map(fresh, (one) => secrets.alias("cookie", one))) }
    })
}
