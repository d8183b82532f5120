import type { CallOptions } from "./ClientOptions.js"
import type * as Contract from "./TestPeopleContract.js"
import { type AppOperation, pathOf, TEST_PEOPLE } from "./Operations.js"
import type { TokenEndpoint } from "./TokenEndpoint.js"
import * as Transport from "./Transport.js"

/**
 * The calls about the app's test people. They authenticate the app by its client secret and need no connection.
 *
 * `create` and `simulate` are never retried, because neither has an `Idempotency-Key`: a retry could make a second
 * person or trip. The other calls are retried.
 */
export const testPeopleOf = (endpoint: TokenEndpoint) => {
  const { attempt, baseUrl, clientId, clientSecret = "", policy } = endpoint

  const call = async <Answer>(operation: AppOperation, options: CallOptions = {}, person?: string, body?: object) => {
    const request = {
      method: operation.method,
      url: baseUrl + pathOf(operation, { person_id: person ?? "" }),
      headers: {
        authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }
    const retries = operation.method === "POST" ? 0 : policy.retries
    const how = { ...attempt, signal: options.signal, policy: { ...policy, retries } }
    return Transport.answerOf(operation, await Transport.send(request, how)) as Answer
  }

  return {
    /** The app's test people, oldest first. An app has at most ten, so the list has one page. */
    list: async (options?: CallOptions): Promise<ReadonlyArray<Contract.TestPersonAnswer>> =>
      (await call<Contract.TestPeopleAnswer>(TEST_PEOPLE.list, options)).test_people,
    /** Makes a person with places, a phone and a connection. No later answer contains the tokens. */
    create: (body: Contract.NewTestPersonBody, options?: CallOptions) =>
      call<Contract.MadeTestPersonAnswer>(TEST_PEOPLE.create, options, undefined, body),
    get: (id: string, options?: CallOptions) => call<Contract.TestPersonAnswer>(TEST_PEOPLE.get, options, id),
    /**
     * Removes the person. The connection ends immediately, and everything else about the person is deleted within
     * minutes.
     */
    remove: (id: string, options?: CallOptions) => call<void>(TEST_PEOPLE.remove, options, id),
    /** Sends the readings of a trip as the person's phone. Rules fire and webhooks are delivered as for users. */
    simulate: (id: string, trip: Contract.TestTripBody, options?: CallOptions) =>
      call<Contract.SimulatedTripAnswer>(TEST_PEOPLE.simulate, options, id, trip)
  }
}
