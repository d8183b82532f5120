import { listOwnVolumeFlags } from "@place-access/domain/purposes"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { toFields } from "./VolumeFlagsApi.js"

export const layer = Group.group(Api, "volumeFlags", (handlers) =>
  handlers.handle("list", ({ urlParams: { cursor, limit } }) =>
    Effect.gen(function* () {
      const { flags, nextCursor } = yield* listOwnVolumeFlags(yield* SignedIn, { limit, cursor })
      return { flags: flags.map(toFields), nextCursor }
    }).pipe(toWire)
  )
)
