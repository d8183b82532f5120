import { runWorker } from "@place-access/domain/dispatch"
import { recordFigures } from "@place-access/domain/figures"
import { holdLeases } from "@place-access/domain/leases"
import { runHousekeeping } from "@place-access/domain/sweeps"
import { runExports } from "@place-access/domain/exports"
import { runSettling } from "@place-access/domain/fixes"
import { Pace, runImports } from "@place-access/domain/imports"
import { Effect } from "effect"
import * as Backlog from "./Backlog.js"
import { housekeeping } from "./Housekeeping.js"
import * as Archives from "../exports/ZipArchive.js"
import * as Imports from "../imports/Reader.js"
import * as Mail from "../mail/Mail.js"
import type { PublicAddresses, Storage } from "../settings/Settings.js"
import type { Smtp } from "../settings/Smtp.js"

interface Settings {
  readonly mail: Smtp | null
  readonly addresses: PublicAddresses
  readonly storage: Storage
}

/** Everything that a worker does, until it is interrupted. */
export const work = ({ addresses, mail, storage }: Settings) =>
  Effect.flatMap(Effect.zipRight(recordFigures(), holdLeases()), (leases) =>
    Effect.all(
      [
        runWorker({}, leases),
        runHousekeeping(leases),
        housekeeping(leases),
        Mail.sending(mail, addresses, leases.people),
        Effect.provide(runImports(leases, paceOf(storage)), Imports.layer),
        Effect.provide(runExports(leases), Archives.layer),
        runSettling(leases),
        Backlog.watching
      ],
      { concurrency: "unbounded", discard: true }
    )
  ).pipe(Effect.scoped)

/** With the embedded database, the server's requests are answered by this process. */
const paceOf = ({ _tag }: Storage): Pace.Pace => (_tag === "Embedded" ? Pace.POLITE : Pace.QUICK)
