import { runWorker } from "@place-access/domain/deliveries"
import { runHousekeeping } from "@place-access/domain/housekeeping"
import { Effect } from "effect"
import { housekeeping } from "./Housekeeping.js"
import * as Mail from "./Mail.js"
import type { Addresses } from "./Settings.js"
import type { Smtp } from "./Smtp.js"

interface Settings {
  readonly mail: Smtp | null
  readonly addresses: Addresses
}

/** Everything that a worker does, until interrupted. */
export const work = ({ addresses, mail }: Settings) =>
  Effect.all([runWorker(), runHousekeeping, housekeeping, Mail.sending(mail, addresses)], {
    concurrency: "unbounded",
    discard: true
  })
