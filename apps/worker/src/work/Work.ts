import { runWorker } from "@place-access/domain/dispatch"
import { holdLeases } from "@place-access/domain/leases"
import { runHousekeeping } from "@place-access/domain/sweeps"
import { runExports } from "@place-access/domain/exports"
import { runImports } from "@place-access/domain/imports"
import { Effect } from "effect"
import * as Backlog from "./Backlog.js"
import { housekeeping } from "./Housekeeping.js"
import * as Archives from "../exports/ZipArchive.js"
import * as Imports from "../imports/Reader.js"
import * as Mail from "../mail/Mail.js"
import type { PublicAddresses } from "../settings/Settings.js"
import type { Smtp } from "../settings/Smtp.js"

interface Settings {
  readonly mail: Smtp | null
  readonly addresses: PublicAddresses
}

/** Everything that a worker does, until it is interrupted. */
export const work = ({ addresses, mail }: Settings) =>
  Effect.flatMap(holdLeases(), (leases) =>
    Effect.all(
      [
        runWorker({}, leases),
        runHousekeeping(leases),
        housekeeping(leases),
        Mail.sending(mail, addresses, leases.people),
        Effect.provide(runImports(leases), Imports.layer),
        Effect.provide(runExports(leases), Archives.layer),
        Backlog.watching
      ],
      { concurrency: "unbounded", discard: true }
    )
  )
