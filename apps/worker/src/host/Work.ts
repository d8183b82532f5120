import { runWorker } from "@place-access/domain/deliveries"
import { runHousekeeping } from "@place-access/domain/housekeeping"
import { runImports } from "@place-access/domain/imports"
import { Effect } from "effect"
import * as Backlog from "./Backlog.js"
import { housekeeping } from "./Housekeeping.js"
import * as Imports from "./imports/Reader.js"
import * as Mail from "./Mail.js"
import type { Addresses } from "./Settings.js"
import type { Smtp } from "./Smtp.js"

interface Settings {
  readonly mail: Smtp | null
  readonly addresses: Addresses
}

const imports = Effect.provide(runImports(), Imports.layer)

/** Everything that a worker does, until interrupted. */
export const work = ({ addresses, mail }: Settings) =>
  Effect.all([runWorker(), runHousekeeping, housekeeping, Mail.sending(mail, addresses), imports, Backlog.watching], {
    concurrency: "unbounded",
    discard: true
  })
