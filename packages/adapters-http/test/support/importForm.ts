import { MemoryImportReader } from "@place-access/domain/testing"
import type { Person } from "./World.js"

/** A file with one position, as `MemoryImportReader` reads it. */
export const FILE = `${MemoryImportReader.FIRST_LINE}\n${MemoryImportReader.line(Date.parse("2026-02-05T09:00:00Z"), 52, 4)}\n`

/** The form token of the page on which the person uploads a file. */
export const tokenOf = async (person: Person): Promise<string> =>
  /name="form_token" value="([^"]+)"/.exec((await person.get("/portal/imports/new")).text)?.[1] ?? ""
