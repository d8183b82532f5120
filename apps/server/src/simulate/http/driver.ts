import { type RequestTimers, Timers } from "@place-access/adapters-http/edge/Timers"
import { AccountStore } from "@place-access/domain/accounts"
import { Vault } from "@place-access/domain/shared"
import { MemoryImportReader, Simulation } from "@place-access/domain/testing"
import { Cause, Clock, Effect, Exit, FiberId, Option, Runtime } from "effect"
import * as Client from "./Client.js"
import * as Exchange from "./Exchange.js"
import { accounts } from "./operations/accounts.js"
import { calls } from "./operations/call.js"
import { developers, reviewers } from "./operations/developers.js"
import type { Handlers, Outside } from "./operations/Handlers.js"
import { imports } from "./operations/imports.js"
import { listeners } from "./operations/listeners.js"
import { oauth } from "./operations/oauth.js"
import { people } from "./operations/people.js"
import { steering } from "./operations/steering.js"
import { withBrowsers } from "./people.js"

/**
 * Operations that call the programs directly, without a request:
 * - `signUp`: an operator makes the accounts, so that their addresses are confirmed and get mail.
 * - The operations that read: they show oracles what no request shows, such as the strikes of an endpoint.
 * - `importFile`: the service reads its body from a stream of Node, which needs a socket.
 */
type Direct = "signUp" | "importFile" | "readEndpoints" | "readDeliveries" | "readAccessLog" | "readOwnHistory"

const handlers: Handlers<Exclude<Simulation.Name, Direct>> = {
  ...accounts,
  ...people,
  ...steering,
  ...developers,
  ...reviewers,
  ...oauth,
  ...listeners,
  ...imports,
  ...calls
}

const isDirect = (name: Simulation.Name): name is Direct => !(name in handlers)

/** A driver with which the people of the simulation call the service over its HTTP contract. */
export const overHttp: Simulation.Driver = {
  name: "http",
  start: (registry) =>
    Effect.gen(function* () {
      const browsers = withBrowsers(yield* AccountStore, yield* Vault.Vault, registry)
      const exchange = yield* Exchange.open(OPTIONS).pipe(
        Effect.provideService(AccountStore, browsers),
        Effect.provideService(Timers, yield* timers),
        Effect.provide(MemoryImportReader.layer)
      )
      const outside: Outside = { client: Client.make(exchange, registry), registry }
      return perform(outside)
    })
}

/** Timers for requests. They use the clock of the run, in fibers of the simulated server's process. */
const timers = Effect.map(Effect.runtime<never>(), (runtime): RequestTimers => ({
  now: () => Runtime.runSync(runtime)(Clock.currentTimeMillis),
  after: (millis, then) => {
    const waiting = Runtime.runFork(runtime)(Effect.zipRight(Effect.sleep(millis), Effect.sync(then)))
    return () => waiting.unsafeInterruptAsFork(FiberId.none)
  }
}))

const OPTIONS = {
  baseUrl: Simulation.ISSUER,
  authUrl: Simulation.ISSUER,
  userPortalUrl: `${Simulation.ISSUER}/portal`,
  signUp: "open",
  addressRule: "assumed",
  trustProxy: true,
  rateLimitPerMinute: 600,
  tileUrl: null,
  hasMailbox: false,
  version: "simulated"
} as const

const perform = (outside: Outside): Simulation.Perform => {
  const { registry } = outside
  const performed: Simulation.Perform = <N extends Simulation.Name>(
    name: N,
    args: Simulation.Operation<N>["args"]
  ): Effect.Effect<Simulation.Ended<N>, never, Simulation.Ports> => {
    if (isDirect(name)) return Simulation.performDirectly(name, args, registry)
    const handler = handlers[name as Exclude<N, Direct>] as (
      args: Simulation.Operation<N>["args"],
      outside: Outside
    ) => Effect.Effect<Simulation.Operation<N>["value"], Client.RefusedRequest, Simulation.Ports>
    return Effect.map(Effect.exit(handler(args, outside)), (exit): Simulation.Ended<N> => {
      if (Exit.isSuccess(exit)) return { _tag: "ok", value: exit.value }
      return Option.match(Cause.failureOption(exit.cause), {
        onNone: () => ({ _tag: "refused", error: "internal_error", detail: { defect: defect(exit.cause) } }),
        onSome: ({ body, error, status }) =>
          status === 503
            ? { _tag: "unknown", because: "unavailable" }
            : { _tag: "refused", error: error, detail: status === 500 ? body : {} }
      })
    })
  }
  return performed
}

/** The message of a bug without its stack trace, because a stack trace names files of this machine. */
const defect = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error)
}
