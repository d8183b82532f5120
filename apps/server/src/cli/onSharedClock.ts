import { SharedClock } from "@place-access/worker"
import { Effect } from "effect"
import type { ServerSettings } from "../ServerSettings.js"

/**
 * Runs a command on the clock that all processes of a PostgreSQL database share (decision staff-8). Only one process
 * can open the embedded database, so there the command runs on the machine's clock, like a server.
 */
export const onSharedClock =
  ({ storage }: Pick<ServerSettings, "storage">) =>
  <A, E, R>(command: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      if (storage._tag === "Embedded") return yield* command
      const shared = SharedClock.make()
      yield* shared.compare
      return yield* Effect.withClock(command, shared.clock)
    })
