import { ingestFixes } from "@place-access/domain/fixes"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../edge/Group.js"
import { CallingDevice } from "../security/DeviceAuth.js"
import { toWire } from "../wire/toWire.js"
import * as OwnJson from "./OwnJson.js"

export const layer = Group.group(Api, "phone", (handlers) =>
  handlers.handle(
    "upload",
    ({ payload }) =>
      Effect.flatMap(CallingDevice, (device) =>
        toWire(ingestFixes(device, payload.locations.map(OwnJson.reading), payload.visits?.map(OwnJson.visit) ?? []))
      ),
    { uninterruptible: true }
  )
)
