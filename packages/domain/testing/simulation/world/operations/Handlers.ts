import { Effect, Option, Schema } from "effect"
import { type Account, Password } from "../../../../src/accounts/Account.js"
import { authenticateSession } from "../../../../src/accounts/sessions.js"
import { Subscribable } from "../../../../src/events/Event.js"
import { Invalid, NotFound } from "../../../../src/shared/Errors.js"
import type { Name, Operation } from "../../Operations.js"
import type { Ports } from "../../ports/Ports.js"
import type { KnownApp, Registry } from "../Registry.js"

/**
 * What the server does for an operation. A failure means that the service refused the operation, or that the outcome is
 * unknown.
 */
export type Handler<N extends Name> = (
  args: Operation<N>["args"],
  registry: Registry
) => Effect.Effect<Operation<N>["value"], unknown, Ports>

export type Handlers<N extends Name> = { readonly [K in N]: Handler<K> }

/** The address of the service. */
export const ISSUER = "https://places.example"
/** The event types to which an endpoint or a listener subscribes. */
export const Events = Schema.Array(Subscribable)
export const VERIFIER = "a-verifier-of-the-app-that-is-long-enough-0123456789"
/** A redirect URI with which no app of the simulation asks for a consent. */
export const WRONG_REDIRECT_URI = "https://somebody-else.example/callback"
const PASSWORD = "correct horse battery staple"
const GUESS = "a guess of somebody else"

/**
 * The password with this number. 0 is an account's first password; a negative number is a guess that no account has.
 * The password becomes a known secret of the run, so a store or log that contains the password in the clear is reported
 * as a leak.
 */
export const passwordOf = (number: number, { secrets }: Pick<Registry, "secrets">): Password => {
  const password = number === 0 ? PASSWORD : number < 0 ? GUESS : `${PASSWORD} and ${number} carrots`
  secrets.alias("password", password)
  return Password.make(password)
}

/** Checks an input by the schema that the HTTP API uses. Fails with `Invalid` when the input does not match. */
export const valid = <A, I>(schema: Schema.Schema<A, I>, field: string, value: unknown): Effect.Effect<A, Invalid> =>
  Effect.mapError(Schema.decodeUnknown(schema)(value), () => Invalid.of(field, "is not allowed"))

export const account = (registry: Registry, id: string): Effect.Effect<Account, NotFound> =>
  Effect.mapError(Effect.fromNullable(registry.accounts.get(id)), () => new NotFound({ what: "account" }))

export const app = (registry: Registry, id: string): Effect.Effect<KnownApp, NotFound> =>
  Effect.mapError(Effect.fromNullable(registry.apps.get(id)), () => new NotFound({ what: "app" }))

export const staff = (registry: Registry): Effect.Effect<Account, NotFound> =>
  Effect.mapError(Effect.fromNullable(registry.staff), () => new NotFound({ what: "account" }))

/** The user of a session. Fails with `NotSignedIn` when the session is not valid, as the pages of the service do. */
export const signedIn = (cookie: string) =>
  Effect.flatMap(
    authenticateSession(cookie),
    Option.match({ onNone: () => Effect.fail({ _tag: "NotSignedIn" }), onSome: Effect.succeed })
  )
