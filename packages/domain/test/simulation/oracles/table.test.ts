import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { all } from "../../../testing/simulation/oracles/index.js"
import { plants } from "../plants/all.js"
import { oracleTable } from "./oracleTable.js"
import { ROWS } from "./specificationRows.js"

/**
 * The file packages/domain/docs/oracles.md is generated from the oracles, the plants and the rows of the specification.
 * To write it again: npx vitest run packages/domain/test/simulation/oracles/table.test.ts -u
 */
const FILE = join(import.meta.dirname, "../../../docs/oracles.md")

describe("the table of oracles", () => {
  it("has an oracle for each row of the specification, or says why there is none", () => {
    const bare = ROWS.filter(({ oracles, without }) => oracles.length === 0 && (without ?? "") === "")
    expect(bare).toEqual([])
  })
  it("names the oracles that there are, and each of them in a row", () => {
    const named = new Set(ROWS.flatMap(({ oracles }) => oracles))
    expect([...named].sort()).toEqual(all.map(({ name }) => name).sort())
  })
  it("has a planted bug for each oracle", () => {
    const planted = new Set(plants.map(({ oracle }) => oracle))
    expect(all.filter(({ name }) => !planted.has(name)).map(({ name }) => name)).toEqual([])
  })
  it("is what packages/domain/docs/oracles.md says", async () => {
    await expect(oracleTable()).toMatchFileSnapshot(FILE)
  })
})
