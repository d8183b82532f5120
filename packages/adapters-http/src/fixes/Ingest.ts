import type { Device } from "@place-access/domain/devices"
import { type Fix, ingestFixes, type VisitReport } from "@place-access/domain/fixes"
import { JudgedClock, Timestamp, withPort } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Errors from "../wire/Errors.js"
import * as UploadTurns from "./UploadTurns.js"

/**
 * Takes in an upload when it is the person's turn. Fails with 401 if the owner removes the phone before the upload is
 * stored.
 *
 * An upload counts as received when it arrives, not when its turn comes (decision fixes-6). So no reading becomes too
 * old to fire a rule while the upload waits. The service checks its clock before it reads the time of arrival, and not
 * only when the turn comes: by then, a clock that was wrong at the arrival may be right again.
 */
export const ingest = (
  device: Device.Device,
  readings: ReadonlyArray<Fix.Reading>,
  visits: ReadonlyArray<VisitReport.VisitReport>
) =>
  Effect.flatMap(Effect.zipRight(JudgedClock.required, Timestamp.now), (arrivedAt) =>
    withPort(UploadTurns.UploadTurns, (turns) => turns.within(device, ingestFixes(device, readings, visits, arrivedAt)))
  ).pipe(Effect.catchTag("InvalidDeviceToken", () => Effect.fail(Errors.invalidToken)))
