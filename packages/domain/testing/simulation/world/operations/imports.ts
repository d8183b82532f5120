import { Effect, Encoding, Stream } from "effect"
import { listImports, startImport, undoImport } from "../../../../src/imports/manageImports.js"
import { ImportId, UserId } from "../../../../src/shared/Ids.js"
import * as Lines from "../../../memory/fixes/MemoryImportReader.js"
import type { Operation } from "../../Operations.js"
import type { Handlers } from "./Handlers.js"

/** The text of the file, in the format that `MemoryImportReader` reads. */
const fileOf = ({ readings, wrong }: Pick<Operation<"importFile">["args"], "readings" | "wrong">): string =>
  [
    Lines.FIRST_LINE,
    ...readings.map(({ capturedAt, lat, lon }) => Lines.line(capturedAt, lat, lon)),
    ...Array.from({ length: wrong }, () => "nonsense"),
    ""
  ].join("\n")

export const imports: Handlers<"importFile" | "undoImport" | "readImports"> = {
  importFile: ({ userId, ...file }) => {
    const bytes = Encoding.decodeBase64(Encoding.encodeBase64(fileOf(file)))
    return Effect.map(
      Effect.flatMap(bytes, (body) => startImport(UserId.make(userId), "walks.txt", Stream.make(body))),
      ({ id }) => ({ importId: id })
    )
  },

  undoImport: ({ importId, userId }) =>
    Effect.as(undoImport({ userId: UserId.make(userId), id: ImportId.make(importId) }), null),

  readImports: ({ userId }) =>
    Effect.map(listImports(UserId.make(userId), { limit: 500, cursor: undefined }), (page) => ({
      imports: page.imports.map(({ counts, id, state }) => ({ importId: id, state, counts }))
    }))
}
