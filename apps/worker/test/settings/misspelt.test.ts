import { Misspelt } from "@place-access/worker"
import { expect, it } from "vitest"

const settings = ["PORT", "HOST", "BASE_URL", "DATABASE_URL", "DATABASE_POOL", "METRICS_PORT"].map((name) => ({ name }))
const meant = (...names: ReadonlyArray<string>) =>
  Misspelt.found(Object.fromEntries(names.map((name) => [name, "secret"])), settings).map((one) => one.meant)

it("a letter that is missing, too many or wrong: the setting is named", () => {
  expect(meant("DATABSE_URL", "DATABASE_URLS", "BASE_URI", "PORTT")).toEqual([
    "DATABASE_URL",
    "DATABASE_URL",
    "BASE_URL",
    "PORT"
  ])
})

it("two letters in a long name, and two that are swapped", () => {
  expect(meant("DATABASE_POLO", "METRIC_PORTS")).toEqual(["DATABASE_POOL", "METRICS_PORT"])
})

it("two neighbours that are swapped count as one wrong letter, also in a short name", () => {
  expect(meant("POTR", "OPRT", "HSOT", "DATABAES_UR")).toEqual(["PORT", "PORT", "HOST", "DATABASE_URL"])
  expect(meant("ROPT", "TPOR")).toEqual([])
})

it("other case and other separators", () => {
  expect(meant("database_url", "BASEURL", "METRICS-PORT")).toEqual(["DATABASE_URL", "BASE_URL", "METRICS_PORT"])
})

it("settings themselves, and names of other programs, are no misspelling", () => {
  expect(meant("PORT", "DATABASE_URL", "HOME", "HOSTNAME", "PATH", "PWD", "SHELL", "REDIS_PORT", "PGDATABASE")).toEqual(
    []
  )
})

it("the sentence names both and leaves out the value", () => {
  const sentences = Misspelt.found({ DATABSE_URL: "postgres://me:pass@db/x" }, settings).map(Misspelt.sentence)
  expect(sentences).toEqual(["DATABSE_URL is not a setting, so it has no effect. Did you mean DATABASE_URL?"])
})
