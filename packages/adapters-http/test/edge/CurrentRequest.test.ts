import * as CurrentRequest from "@place-access/adapters-http/edge/CurrentRequest"
import { Cause, Effect, Exit, FiberRef } from "effect"
import { expect, it } from "vitest"

const disclosedHere = Effect.map(FiberRef.get(CurrentRequest.ref), ({ disclosed }) => disclosed)

it("a fiber outside of a request cannot record anything: the cell there is shared by all such fibers", async () => {
  const exit = await Effect.runPromiseExit(CurrentRequest.discloses("2 shared places"))
  expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBeInstanceOf(TypeError)
  expect(await Effect.runPromise(disclosedHere)).toBe(null)
})

it("within a request, the cell of the request gets what is recorded", async () => {
  const cell = CurrentRequest.make("req_test")
  await Effect.runPromise(Effect.locally(CurrentRequest.discloses("2 shared places"), CurrentRequest.ref, cell))
  expect(cell.disclosed).toBe("2 shared places")
})
