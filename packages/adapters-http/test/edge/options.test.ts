import type { ServiceOptions } from "@place-access/adapters-http/HttpOptions"
import { expect, it } from "vitest"
import { optionsAt } from "../support/options.js"

const { addressRule, ...others } = optionsAt("http://localhost")

it("a service names its rule about addresses: options without the rule do not compile [accounts-11]", () => {
  // @ts-expect-error A service without the rule would skip the check of addresses.
  const options: ServiceOptions = others
  expect(options).not.toHaveProperty("addressRule")
  expect(addressRule).toBe("assumed")
})
