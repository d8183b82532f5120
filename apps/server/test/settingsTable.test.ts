import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { settingsTable } from "./support/settingsTable.js"
import * as ServerSettings from "../src/ServerSettings.js"

it("the table of docs/settings.md is the one that the program reads", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8")
  expect(page).toContain(settingsTable(ServerSettings.all))
})
