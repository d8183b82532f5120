import { ingestFixes } from "@place-access/domain/fixes"
import { withPort } from "@place-access/domain/shared"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { CallingDevice } from "../security/DeviceAuth.js"
import { toWire } from "../wire/toWire.js"
import * as OwnJson from "./OwnJson.js"
import * as UploadTurns from "./UploadTurns.js"

export const layer = Group.group(Api, "phone", (handlers) =>
  handlers.handle(
    "upload",
    ({ payload }) =>
      withPort(CallingDevice, (device) =>
        withPort(UploadTurns.UploadTurns, (turns) =>
          toWire(
            turns.within(
              device,
              ingestFixes(device, payload.locations.map(OwnJson.reading), payload.visits?.map(OwnJson.visit) ?? [])
            )
          )
        )
      ),
    { uninterruptible: true }
  )
)
