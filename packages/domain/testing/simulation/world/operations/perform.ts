import { Effect, Exit, Option, Cause } from "effect"
import type { Ended, Name, Operation } from "../../Operations.js"
import type { Ports } from "../../ports/Ports.js"
import { call } from "../gateway/call.js"
import * as Refusal from "../gateway/Refusal.js"
import type { Registry } from "../Registry.js"
import { accounts } from "./accounts.js"
import { developers } from "./developers.js"
import { type Handler, type Handlers } from "./Handlers.js"
import { imports } from "./imports.js"
import { listeners } from "./listeners.js"
import { oauth } from "./oauth.js"
import { people } from "./people.js"
import { reviewers } from "./reviewers.js"
import { steering } from "./steering.js"

const handlers: Handlers<Name> = {
  ...accounts,
  ...people,
  ...developers,
  ...reviewers,
  ...steering,
  ...oauth,
  ...listeners,
  ...imports,
  call
}

/** Throws when no operation has this name. */
export const demandName = (name: string): void => {
  if (!Object.hasOwn(handlers, name)) {
    throw new TypeError(`An operation must be one of ${Object.keys(handlers).toSorted().join(", ")}`)
  }
}

/**
 * Runs the part of an operation that the server does, and returns the outcome of the operation. When the server dies
 * during the operation, the Effect never completes.
 */
export const perform = <N extends Name>(
  name: N,
  args: Operation<N>["args"],
  registry: Registry
): Effect.Effect<Ended<N>, never, Ports> => {
  const handler: Handler<N> = handlers[name]
  return Effect.map(Effect.exit(handler(args, registry)), (exit): Ended<N> => {
    if (Exit.isSuccess(exit)) return { _tag: "ok", value: exit.value }
    return Option.exists(Cause.failureOption(exit.cause), Refusal.isUnavailable)
      ? { _tag: "unknown", because: "unavailable" }
      : { _tag: "refused", ...Refusal.ofOperation(exit.cause) }
  })
}
