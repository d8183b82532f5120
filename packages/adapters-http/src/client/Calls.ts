import type { CreateOptions } from "./ClientOptions.js"
import { type AppOperation, pathOf, queryOf } from "./Operations.js"
import type { TokenSession } from "./Session.js"
import * as Transport from "./Transport.js"
import type { TokenEndpoint } from "./TokenEndpoint.js"

export interface AppCall {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: object
  readonly options?: CreateOptions | undefined
}

/** Makes a call of an app with an access token, and repeats the call with a new token after a 401. */
export const caller = (endpoint: TokenEndpoint, session: TokenSession) => {
  const request = (operation: AppOperation, call: AppCall, key: string | undefined) => (token: string) => {
    const { body, path = {}, query = {} } = call
    return {
      method: operation.method,
      url: endpoint.baseUrl + pathOf(operation, path) + queryOf(query),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }
  }

  return async <Answer>(operation: AppOperation, call: AppCall = {}): Promise<Answer> => {
    const { idempotencyKey, signal } = call.options ?? {}
    const how = { ...endpoint.attempt, signal, policy: endpoint.policy }
    // All attempts of one call have the same key, even the attempt with a new access token after a 401.
    const key = operation.takesKey === true ? (idempotencyKey ?? globalThis.crypto.randomUUID()) : undefined
    const withToken = request(operation, call, key)

    const first = await session.accessToken(null, signal)
    let settled = await Transport.send(withToken(first), how)
    if (settled.reply.status === 401) {
      const second = await session.accessToken(first, signal)
      const { mayBeDone } = settled
      const repeated = await Transport.send(withToken(second), how)
      settled = { ...repeated, mayBeDone: mayBeDone || repeated.mayBeDone }
    }
    return Transport.answerOf(operation, settled) as Answer
  }
}
