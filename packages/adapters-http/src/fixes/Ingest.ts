import type { Device } from "@place-access/domain/devices"
import { type Fix, ingestTogether, type VisitReport } from "@place-access/domain/fixes"
import { JudgedClock, Timestamp, withPort } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Errors from "../wire/Errors.js"
import * as UploadTurns from "./UploadTurns.js"

/**
 * Takes in an upload when it is the person's turn, perhaps together with other uploads of the person that wait. Fails
 * with 401 if the owner removes the phone before the upload is stored. Fails with a `StoreError`, after which the phone
 * should send the upload again, for example if the upload gets no turn in time or the process's clock is wrong.
 *
 * An upload counts as received when it arrives, not when its turn comes (decision fixes-6). So no reading becomes too
 * old to fire a rule while the upload waits. The service checks its clock before it reads the time of arrival, and not
 * only when the turn comes: by then, a clock that was wrong at the arrival may be right again.
 */
export const ingest = (
  { id: deviceId, userId }: Device.Device,
  readings: ReadonlyArray<Fix.Reading>,
  reports: ReadonlyArray<VisitReport.VisitReport>
) =>
  Effect.flatMap(Effect.zipRight(JudgedClock.required, Timestamp.now), (arrivedAt) =>
    withPort(UploadTurns.UploadTurns, (turns) =>
      turns.within(userId, { deviceId, readings, reports, arrivedAt }, (uploads) => ingestTogether(userId, uploads))
    )
  ).pipe(
    Effect.flatten,
    Effect.catchTag("InvalidDeviceToken", () => Effect.fail(Errors.invalidToken))
  )
