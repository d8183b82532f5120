import { NamedMail } from "@place-access/domain/mail"
import { Rate } from "@place-access/domain/limits"
import { AccountLimits } from "@place-access/domain/quotas"
import { Timestamp } from "@place-access/domain/shared"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const decision = readFileSync(fileURLToPath(new URL("../../docs/decisions/limits.md", import.meta.url)), "utf8")

const WINDOWS: Readonly<Record<number, string>> = {
  [Timestamp.MINUTE]: "a minute",
  [Timestamp.HOUR]: "an hour",
  [Timestamp.DAY]: "a day"
}

const row = (limit: AccountLimits.OwnedLimit | AccountLimits.WindowLimit): string => {
  const most = limit._tag === "Owned" ? `${limit.most}` : `${limit.most} in ${WINDOWS[limit.windowMs]}`
  return `| ${limit.what.charAt(0).toLowerCase()}${limit.what.slice(1)} | ${most} | ${limit.counted} |`
}

describe("the limits of an account [limits-9]", () => {
  it("the decision has the table, row for row", () => {
    const [, table = ""] = decision.split("| what | how many | which count |\n|---|---|---|\n")
    expect(table.split("\n").slice(0, AccountLimits.ALL.length + 1)).toEqual([...AccountLimits.ALL.map(row), ""])
  })

  it.each(
    AccountLimits.ALL.flatMap((limit) => (limit.refusal === null ? [] : [[limit.what, limit, limit.refusal] as const]))
  )("%s: the refusal has the number and says what to do", (_, { most }, refusal) => {
    expect(refusal).toContain(` ${most} `.trimStart())
    expect(refusal).toMatch(/; .+/)
  })

  it("what counts uses the table", () => {
    expect([Rate.TESTS.calls, Rate.CREATIONS.calls, Rate.CONSENTS_OF_ACCOUNT.calls]).toEqual([30, 300, 120])
    expect(Rate.WEBHOOK_ADDRESSES.calls).toBe(300)
    expect([NamedMail.LIMIT, NamedMail.WINDOW]).toEqual([5, Timestamp.HOUR])
  })
})
