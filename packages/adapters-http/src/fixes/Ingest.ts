import type { Device } from "@place-access/domain/devices"
import { type Fix, ingestFixes, type VisitReport } from "@place-access/domain/fixes"
import { JudgedClock, Timestamp, withPort } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Errors from "../wire/Errors.js"
import * as UploadTurns from "./UploadTurns.js"

/**
 * Takes in an upload when it is the person's turn. 401 when the owner removes the phone meanwhile. The upload is judged
 * by its arrival (decision fixes-6): while it waits for its turn, no reading becomes too old to fire a rule. The clock
 * is judged before the arrival is read, because a clock that was wrong then may be right when the turn comes.
 */
export const ingest = (
  device: Device.Device,
  readings: ReadonlyArray<Fix.Reading>,
  visits: ReadonlyArray<VisitReport.VisitReport>
) =>
  Effect.flatMap(Effect.zipRight(JudgedClock.required, Timestamp.now), (arrivedAt) =>
    withPort(UploadTurns.UploadTurns, (turns) => turns.within(device, ingestFixes(device, readings, visits, arrivedAt)))
  ).pipe(Effect.catchTag("InvalidDeviceToken", () => Effect.fail(Errors.invalidToken)))
