import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const SOURCES = join(import.meta.dirname, "../../src")

/** Matches statements that select all columns (`*`) of a table. It does not match a function after FROM. */
const STAR = /sql`\s*SELECT\s+(?:\w+\.)?\*(?:,[^`]*?)?\s+FROM\s+\w+\b(?!\()/g

describe("a statement that may stay prepared", () => {
  it("names the columns of its result: PostgreSQL refuses a prepared * when a migration has added a column", () => {
    const stars = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        (readFileSync(join(SOURCES, file), "utf8").match(STAR) ?? []).map((text) => `${file}: ${text}`)
      )
    expect(stars).toEqual([])
  })
})
