import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { settingsTable } from "./support/settingsTable.js"
import * as ServerSettings from "../src/ServerSettings.js"

it("the README's table of settings is the one that the program reads", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8")
  expect(readme).toContain(settingsTable(ServerSettings.all))
})
