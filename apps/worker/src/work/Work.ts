import { runWorker } from "@place-access/domain/dispatch"
import { runHousekeeping } from "@place-access/domain/sweeps"
import { runImports } from "@place-access/domain/imports"
import { Effect } from "effect"
import * as Backlog from "./Backlog.js"
import { housekeeping } from "./Housekeeping.js"
import * as Imports from "../imports/Reader.js"
import * as Mail from "../mail/Mail.js"
import type { PublicAddresses } from "../settings/Settings.js"
import type { Smtp } from "../settings/Smtp.js"

interface Settings {
  readonly mail: Smtp | null
  readonly addresses: PublicAddresses
}

const imports = Effect.provide(runImports(), Imports.layer)

/** Everything that a worker does, until it is interrupted. */
export const work = ({ addresses, mail }: Settings) =>
  Effect.all([runWorker(), runHousekeeping, housekeeping, Mail.sending(mail, addresses), imports, Backlog.watching], {
    concurrency: "unbounded",
    discard: true
  })
