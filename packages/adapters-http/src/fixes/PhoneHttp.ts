import { withPort } from "@place-access/domain/shared"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { CallingDevice } from "../security/DeviceAuth.js"
import { toWire } from "../wire/toWire.js"
import * as Slices from "../edge/Slices.js"
import { ingest } from "./Ingest.js"
import * as OwnJson from "./OwnJson.js"

export const layer = Group.group(Api, "phone", (handlers) =>
  handlers.handle(
    "upload",
    ({ payload }) =>
      withPort(CallingDevice, (device) =>
        toWire(
          Slices.mapped(payload.locations, OwnJson.reading, (readings) =>
            Slices.mapped(payload.visits ?? [], OwnJson.visit, (visits) => ingest(device, readings, visits))
          )
        )
      ),
    { uninterruptible: true }
  )
)
