import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { plant } from "../../../.ci/mutate/mutants.mjs"

const SAMPLE = `
const LIMIT = 10
export const judge = (age, isOld) => {
  if (age < 0) return "none"
  return age >= LIMIT && !isOld ? "old" : "new"
}
`
const judgeWith = (active: number): ((age: number, isOld: boolean) => string) => {
  const { text } = plant("sample.ts", SAMPLE, 0)
  const body = `${text.replace("export const judge", "const judge")}; return judge`
  return new Function("globalThis", body)({ __mutant: (id: number) => id === active })
}

/**
 * The results of the function in `SAMPLE` for ages around its limits, while the planted fault with the number `active`
 * is switched on.
 */
const answers = (active: number) =>
  [-1, 0, 9, 10, 11].flatMap((age) => [true, false].map((isOld) => judgeWith(active)(age, isOld)))

describe("mutants", () => {
  it("a file with planted faults does the same as before while none is switched on", () => {
    expect(answers(-1)).toEqual(["none", "none", "new", "new", "new", "new", "new", "old", "new", "old"])
  })

  it("each fault that is switched on changes what the file does", () => {
    const { mutants } = plant("sample.ts", SAMPLE, 0)
    expect(mutants.map(({ from, to }) => `${from} => ${to}`)).toEqual([
      "LIMIT = 10 => LIMIT = 10 + 1",
      "0 => 0 + 1",
      "age < 0 => age <= 0",
      "if (age < 0) => if (false)",
      "age >= LIMIT => age > LIMIT",
      "!isOld => !!(isOld)",
      "age >= LIMIT && !isOld => (age >= LIMIT) || (!isOld)",
      'age >= LIMIT && !isOld ? "old" : "new" => "new"'
    ])
    for (const { from, id } of mutants) expect([from, answers(id)]).not.toEqual([from, answers(-1)])
  })

  it("every source of the domain can still be read after faults were planted in it", () => {
    const root = join(import.meta.dirname, "../../../packages/domain/src")
    const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    const broken = sources.filter((name) => {
      const { text } = plant(name, readFileSync(join(root, name), "utf8"), 0)
      const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true })
      return diagnostics !== undefined && diagnostics.length > 0
    })
    expect([sources.length > 300, broken]).toEqual([true, []])
  })
})
