import { TestPerson } from "@place-access/domain/test-people"
import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"
import { appOf } from "../support/apps.js"

const AT = Timestamp.make(0)

describe("why an app has no test people now [test-people-1]", () => {
  it("an app whose holder's account is suspended was not revoked, and the reason does not say so [staff-1]", () => {
    const suspended = TestPerson.unavailable(appOf({ suspendedAt: AT }))
    expect(suspended).toBe("the account of the app's holder is suspended")
    expect(TestPerson.unavailable(appOf({ revokedAt: AT, suspendedAt: AT }))).toBe("the app was revoked")
    expect(TestPerson.unavailable(appOf({ status: "production" }))).toBe(TestPerson.IN_PRODUCTION)
    expect(TestPerson.unavailable(appOf())).toBeUndefined()
  })
})
