import { Effect } from "effect"
import type { Simulation } from "@place-access/domain/testing"
import { type Handlers, list } from "./Handlers.js"

/** The requests of people who import files of their history. */
export const imports: Handlers<"undoImport" | "readImports"> = {
  undoImport: ({ importId, userId }, { client }) =>
    Effect.as(client.send({ person: userId }, "POST", `/v1/user/imports/${importId}/undo`), null),

  readImports: ({ userId }, { client }) =>
    Effect.map(client.send({ person: userId }, "GET", "/v1/user/imports"), (answer) => ({
      imports: list(answer, "imports").map(row)
    }))
}

const row = ({ counts, id, state }: Readonly<Record<string, unknown>>): Simulation.ImportRow => {
  const of = counts as Readonly<Record<string, number>>
  const count = (name: string): number => of[name] ?? Number.NaN
  return {
    importId: String(id),
    state: state as Simulation.ImportRow["state"],
    counts: {
      read: count("read"),
      stored: count("stored"),
      duplicates: count("duplicates"),
      tooRecent: count("too_recent"),
      tooOld: count("too_old"),
      overLimit: count("over_limit"),
      quarantined: count("quarantined")
    }
  }
}
