import { ingestFixes } from "@place-access/domain/fixes"
import { withPort } from "@place-access/domain/shared"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { CallingDevice } from "../security/DeviceAuth.js"
import { toWire } from "../wire/toWire.js"
import * as Slices from "../edge/Slices.js"
import * as OwnJson from "./OwnJson.js"
import * as UploadTurns from "./UploadTurns.js"

export const layer = Group.group(Api, "phone", (handlers) =>
  handlers.handle(
    "upload",
    ({ payload }) =>
      withPort(CallingDevice, (device) =>
        withPort(UploadTurns.UploadTurns, (turns) =>
          toWire(
            Slices.mapped(payload.locations, OwnJson.reading, (readings) =>
              Slices.mapped(payload.visits ?? [], OwnJson.visit, (visits) =>
                turns.within(device, ingestFixes(device, readings, visits))
              )
            )
          )
        )
      ),
    { uninterruptible: true }
  )
)
