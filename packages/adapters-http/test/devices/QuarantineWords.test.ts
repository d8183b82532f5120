import { QuarantineReason } from "@place-access/domain/devices"
import { expect, it } from "vitest"
import { quarantineWords } from "../../src/devices/QuarantineWords.js"

it("has words for every reason", () => {
  for (const reason of QuarantineReason.literals) {
    expect(quarantineWords[reason]).toEqual({
      status: expect.stringMatching(/^[A-Z]/),
      explanation: expect.stringMatching(/[.]$/)
    })
  }
  expect(quarantineWords.future.status).toBe("Its clock is wrong")
})
