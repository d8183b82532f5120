import { Effect } from "effect"
import * as Check from "../../Check.js"
import type { ContractCase } from "../../Contract.js"
import { claim, insertMany, of, type WebhookFixturePorts, withEndpoints } from "./webhookFixtures.js"

/** What every `DeliveryStore` must guarantee when one claim takes deliveries of several apps. */
export const sharedClaim: ContractCase<WebhookFixturePorts> = {
  name: "claim: an endpoint of each app gets a row while the limit has one for each [deliveries-7]",
  run: withEndpoints((one) =>
    withEndpoints((two) =>
      withEndpoints((three) =>
        Effect.gen(function* () {
          const endpoints = [one, two, three]
          for (const endpoint of endpoints) yield* insertMany(endpoint, 4)
          for (const [limit, shares] of [
            [3, [1, 1, 1]],
            [4, [1, 1, 2]],
            [2, [0, 1, 1]]
          ] as const) {
            const claims = yield* claim(limit)
            Check.equal(endpoints.map((endpoint) => of(claims, endpoint).length).sort(), [...shares], `of ${limit}`)
          }
        })
      )
    )
  )
}
