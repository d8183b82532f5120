import { runWorker, type WorkerLoop } from "@place-access/domain/dispatch"
import { holdLeases, type WorkerLeases } from "@place-access/domain/leases"
import { runHousekeeping } from "@place-access/domain/sweeps"
import { runExports } from "@place-access/domain/exports"
import { runSettling } from "@place-access/domain/fixes"
import { Pace, runImports } from "@place-access/domain/imports"
import { StayPace } from "@place-access/domain/visits"
import { Effect, identity } from "effect"
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

/** Options for the loops of a worker. */
export interface LoopOptions {
  /**
   * Wraps every loop except those of `runWorker`. A server on virtual time uses this option to lengthen the sleeps of
   * these loops while nothing happens.
   */
  readonly regular: <A, E, R>(loop: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * The leases of a worker that is certainly the only one. Absent: the worker shares the leases in the database with
   * other workers.
   */
  readonly leases?: WorkerLeases
  /**
   * Called each time that the worker has read the outbox, has claimed deliveries, or has no free slot for a claim
   * (`WorkerHealth`).
   */
  readonly onRead?: (loop: WorkerLoop) => void
}

const ORDINARY: LoopOptions = { regular: identity }

/**
 * Everything that a worker does, until it is interrupted. The caller must also run `recordFigures`, because a process
 * needs one recorder of counts for all its programs.
 */
export const work = (
  { addresses, mail, storage }: Settings,
  { leases: given, onRead, regular }: LoopOptions = ORDINARY
) =>
  Effect.flatMap(given === undefined ? holdLeases() : Effect.succeed(given), (leases) =>
    Effect.all(
      [
        runWorker(onRead === undefined ? {} : { onRead }, leases),
        regular(runHousekeeping(leases, answersRequests(storage) ? StayPace.POLITE : StayPace.QUICK)),
        // Limits the time of a statement that makes a partition, on the embedded database only. That database has one
        // session, so while it makes a partition, it answers no request.
        regular(housekeeping(answersRequests(storage) ? "5 minutes" : 0)),
        regular(Mail.sending(mail, addresses, leases.people)),
        regular(Effect.provide(runImports(leases, answersRequests(storage) ? Pace.POLITE : Pace.FAIR), Imports.layer)),
        regular(Effect.provide(runExports(leases), Archives.layer)),
        regular(runSettling(leases)),
        regular(Backlog.watching)
      ],
      { concurrency: "unbounded", discard: true }
    )
  ).pipe(Effect.scoped)

/**
 * Whether this process also answers requests. Of the programs that call `work`, only a server opens an embedded
 * database, so a process with one is a server.
 */
const answersRequests = ({ _tag }: Storage): boolean => _tag === "Embedded"
