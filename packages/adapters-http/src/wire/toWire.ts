import {
  type Conflict,
  type Forbidden,
  type Invalid,
  type NotFound,
  type StoreError,
  type Vault
} from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Errors from "./Errors.js"
import * as PassingFailure from "./PassingFailure.js"

/**
 * The errors that the programs of every part of the domain may fail with. A handler maps the other errors of its
 * programs before it calls `toWire`.
 */
export type Shared = Invalid | NotFound | Forbidden | Conflict | StoreError | Vault.VaultError

export type ToWire<E> = E extends Invalid
  ? typeof Errors.ValidationFailed.Type
  : E extends NotFound
    ? typeof Errors.NotFound.Type
    : E extends Forbidden
      ? typeof Errors.Forbidden.Type
      : E extends Conflict
        ? typeof Errors.Conflict.Type
        : E extends StoreError
          ? typeof Errors.Unavailable.Type
          : E extends Vault.VaultError
            ? never
            : E

/**
 * Turns the errors of a program into the errors that clients get: `handle("list", () =>
 * listPlaces(user.id).pipe(toWire))`. When a store is unavailable for a moment, the client gets 503. A failure that a
 * retry cannot help becomes a defect, so the client gets 500. An error without a mapping does not compile.
 */
export const toWire = <A, E extends Shared | Errors.WireError, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, ToWire<E>, R> =>
  // On success `catchAllCause` runs no further step; `catchAll` would add a step to each successful answer.
  Effect.catchAllCause(self, (cause) => Effect.catchAll(Effect.failCause(cause), convert)) as Effect.Effect<
    A,
    ToWire<E>,
    R
  >

const convert = (error: Shared | Errors.WireError): Effect.Effect<never, Errors.WireError> => {
  if (!("_tag" in error)) return Effect.fail(error)
  switch (error._tag) {
    case "Invalid":
      return Effect.fail(Errors.validationFailed(error.problems.map(({ field, message }) => `${field} ${message}`)))
    case "NotFound":
      return Effect.fail(Errors.notFound(error.what))
    case "Forbidden":
      return Effect.fail(Errors.forbidden(error.reason))
    case "Conflict":
      return Effect.fail(Errors.conflict(error.reason))
    case "StoreError":
      return error.transient
        ? Effect.zipRight(PassingFailure.logStore(error), Effect.fail(Errors.unavailable))
        : Effect.die(error)
    case "VaultError":
      return Effect.die(error)
  }
}
