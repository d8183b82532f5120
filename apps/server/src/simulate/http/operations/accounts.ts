import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { type HttpAnswer, RefusedRequest, sessionOf } from "../Client.js"
import { type Handlers, number, text } from "./Handlers.js"

/** The requests of people about their accounts, and of thieves who have a stolen cookie. */
export const accounts: Handlers<"signIn" | "useCookie" | "signOut" | "endOtherSessions" | "changePassword"> = {
  signIn: ({ address, password, userId }, { client, registry }) =>
    Effect.gen(function* () {
      const email = registry.accounts.get(userId)?.email
      const json = { email, password: Simulation.passwordOf(password, registry) }
      const answer = yield* client
        .send({ newcomer: userId }, "POST", "/v1/session", { json, address })
        .pipe(Effect.mapError(renamed({ not_signed_in: "WrongCredentials", rate_limited: "TooManyAttempts" })))
      return { cookie: registry.secrets.alias("cookie", sessionOf(answer) ?? "") }
    }),

  useCookie: ({ cookie }, { client, registry }) =>
    client.send({ cookie: registry.secrets.raw(cookie) }, "GET", "/v1/session").pipe(
      Effect.map((answer): { userId: string | null } => ({ userId: text(answer, "id") })),
      Effect.catchIf(
        ({ error }) => error === "not_signed_in",
        () => Effect.succeed({ userId: null })
      )
    ),

  signOut: ({ cookie }, { client, registry }) =>
    Effect.as(client.send({ cookie: registry.secrets.raw(cookie) }, "DELETE", "/v1/session"), null),

  endOtherSessions: ({ cookie }, { client, registry }) =>
    Effect.map(client.send({ cookie: registry.secrets.raw(cookie) }, "DELETE", "/v1/user/sessions"), (answer) => ({
      ended: number(answer, "ended")
    })),

  changePassword: ({ address, cookie, next, password }, { client, registry }) =>
    Effect.gen(function* () {
      const json = {
        password: Simulation.passwordOf(password, registry),
        new_password: Simulation.passwordOf(next, registry)
      }
      const answer: HttpAnswer = yield* client
        .send({ cookie: registry.secrets.raw(cookie) }, "PUT", "/v1/user/account/password", { json, address })
        .pipe(Effect.mapError(renamed({ forbidden: "WrongCredentials", rate_limited: "TooManyAttempts" })))
      const fresh = sessionOf(answer)
      return { cookie: fresh === undefined || fresh === "" ? null : registry.secrets.alias("cookie", fresh) }
    })
}

/**
 * Replaces the code of a refusal by the name that oracles expect. In the API, some refusals with different meanings
 * have the same code.
 */
const renamed =
  (names: Readonly<Record<string, string>>) =>
  (refused: RefusedRequest): RefusedRequest =>
    new RefusedRequest(refused.status, names[refused.error] ?? refused.error, refused.body)
