import * as Testing from "@place-access/domain/testing"
import { describe, expect, it } from "vitest"
import { contractTable, runRows } from "./support/contractTable.js"
import { migratedEmbedded } from "./support/embedded.js"

/** Contracts of the domain whose adapters use no database. */
const ELSEWHERE = ["vaultContract"]

it("the table has every contract of the domain", () => {
  const inTable = new Set(contractTable.flatMap(({ embedded }) => embedded.map(({ name }) => name)))
  const missing = Object.entries(Testing)
    .filter(([name]) => name.endsWith("Contract") && !ELSEWHERE.includes(name))
    .filter(([, contract]) => !(contract as Testing.Contract<never>).every(({ name }) => inTable.has(name)))
  expect(missing.map(([name]) => name)).toEqual([])
})

describe("on the embedded database", () =>
  runRows(
    contractTable.map((row) => ({ ...row, cases: row.embedded })),
    migratedEmbedded
  ))
