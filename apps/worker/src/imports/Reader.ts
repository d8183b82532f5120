import { ImportReader } from "@place-access/domain/imports"
import { Layer } from "effect"
import * as AnyFile from "./AnyFile.js"
import * as Expansion from "./packed/Expansion.js"
import * as Steps from "./packed/Steps.js"

/** Reads a file of any known format. */
export const layer: Layer.Layer<ImportReader> = Layer.succeed(ImportReader, {
  open: (columns, mostUnpacked) =>
    Steps.toReader(AnyFile.open({ columns, depth: 0, expansion: Expansion.make(mostUnpacked) }))
})
