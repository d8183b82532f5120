import { Data } from "@place-access/worker"
import { Console, Effect } from "effect"
import * as Ports from "../Ports.js"
import type { ServerSettings } from "../ServerSettings.js"
import * as Mark from "../virtual/Mark.js"

/** Applies the missing migrations without starting a server. */
export const migrate = (settings: ServerSettings) =>
  Effect.zipRight(
    Mark.refuseIn(settings.storage),
    Console.log("The database is up to date.").pipe(Effect.provide(Ports.database(settings, Data.COMMAND)))
  )
